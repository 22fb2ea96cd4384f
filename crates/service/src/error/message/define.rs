//! Makes the type of all messages out of their table.

/// Writes what the log shows of a message: its second sentence, where it has one.
macro_rules! write_for_the_log {
    ($f:ident, $page:literal) => {
        write!($f, $page)
    };
    ($f:ident, $page:literal, $log:literal) => {
        write!($f, $log)
    };
}

/// A message a line: its code, its parameters, its sentence for the page in English, and the one for the
/// log and the terminal where that differs.
macro_rules! messages {
    ($($code:ident $({ $($parameter:ident),+ })? = $sentence:literal $(log $log:literal)?,)+) => {
        /// A message of the process. As data it is a code and parameters, for which the page has a sentence
        /// in each of its languages; printed, it is English.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        #[serde(tag = "code", content = "parameters", rename_all = "snake_case")]
        #[allow(missing_docs, reason = "the sentence of a message shows what its parameters are")]
        pub enum Message {
            $(#[doc = $sentence] $code $({ $($parameter: Parameter),+ })?,)+
        }

        impl fmt::Display for Message {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$code $({ $($parameter),+ })? => {
                        write_for_the_log!(f, $sentence $(, $log)?)
                    })+
                }
            }
        }

        #[cfg(test)]
        impl Message {
            /// One of each, whose parameters are their names.
            pub(crate) fn samples() -> Vec<Self> {
                vec![$(Self::$code $({ $($parameter: stringify!($parameter).into()),+ })?,)+]
            }

            /// The sentences for the page, in the order of [`Message::samples`].
            pub(crate) const SENTENCES: &[&str] = &[$($sentence,)+];
        }
    };
}

pub(super) use {messages, write_for_the_log};
