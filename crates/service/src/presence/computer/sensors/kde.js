// Runs inside of KWin and tells Porchlight which window is in front. KWin 6
// calls a window a window; KWin 5 called it a client.
(function () {
    const six = typeof workspace.windowActivated !== "undefined";
    let inFront = null;

    function tell() {
        const window = inFront;
        callDBus(
            "{name}", "/front", "blog.porchlight.Front", "Report",
            window ? String(window.resourceClass) : "",
            window ? String(window.caption) : "",
            window ? Boolean(window.fullScreen) : false
        );
    }

    function changed(window) {
        if (inFront) {
            inFront.captionChanged.disconnect(tell);
            inFront.fullScreenChanged.disconnect(tell);
        }
        inFront = window;
        if (inFront) {
            inFront.captionChanged.connect(tell);
            inFront.fullScreenChanged.connect(tell);
        }
        tell();
    }

    if (six) {
        workspace.windowActivated.connect(changed);
        changed(workspace.activeWindow);
    } else {
        workspace.clientActivated.connect(changed);
        changed(workspace.activeClient);
    }
})();
