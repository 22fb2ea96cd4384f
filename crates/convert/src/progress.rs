//! Progress of a conversion, so that the service can distinguish a slow one from one that hangs.

use std::cell::RefCell;

type Hook = Box<dyn FnMut()>;

thread_local! {
    static HOOK: RefCell<Option<Hook>> = const { RefCell::new(None) };
}

/// Has `hook` called from this thread's conversions after each of their steps.
pub(super) fn set(hook: impl FnMut() + 'static) {
    HOOK.with_borrow_mut(|current| *current = Some(Box::new(hook)));
}

/// A step is done.
pub(super) fn made() {
    HOOK.with_borrow_mut(|hook| {
        if let Some(hook) = hook {
            hook();
        }
    });
}
