// Pages opened from the file system cannot start a Worker. Runs the theme's search worker in a hidden frame instead, under the
// name by which the theme recognises this. Over HTTP nothing changes.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      this.loaded = new Promise((resolve) => {
        const target = this.frame.contentWindow;
        target.document.open();
        target.document.write(`<!doctype html><html><body><script>
          postMessage = (data) => parent.postMessage(data, "*");
          importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise((done) => {
            const script = document.createElement("script");
            script.src = url;
            script.onload = done;
            document.body.appendChild(script);
          })), Promise.resolve());
          document.currentScript.remove();
        <\/script><script src="${url}"><\/script></body></html>`);
        target.document.close();
        target.addEventListener("load", resolve);
      });
      window.addEventListener("message", (event) => {
        if (event.source !== this.frame.contentWindow) return;
        this.dispatchEvent(new MessageEvent("message", { data: event.data }));
        if (this.onmessage) this.onmessage(event);
      });
    }
    postMessage(data) {
      // Not by the frame's postMessage(), which now answers to this page.
      this.loaded.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
