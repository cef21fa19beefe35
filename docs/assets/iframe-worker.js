// Search pages that are opened from the disk, where a browser starts no worker: a hidden frame runs the script instead.
"use strict";

class FrameWorker extends EventTarget {
  constructor(url) {
    super();
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    document.body.append(this.frame);
    const inside = this.frame.contentWindow;
    inside.document.open();
    inside.postMessage = (data) => this.answered(data);
    inside.importScripts = async (...scripts) => {
      for (const script of scripts) await load(inside.document, script);
    };
    inside.document.write("<body></body>");
    inside.document.close();
    this.ready = load(inside.document, url);
  }

  answered(data) {
    const message = new MessageEvent("message", { data: structuredClone(data) });
    this.dispatchEvent(message);
    this.onmessage?.(message);
  }

  postMessage(data) {
    const message = new MessageEvent("message", { data: structuredClone(data) });
    this.ready.then(() => this.frame.contentWindow.dispatchEvent(message));
  }

  terminate() {
    this.frame.remove();
  }
}

function load(page, url) {
  return new Promise((done, failed) => {
    const script = page.createElement("script");
    script.src = url;
    script.onload = done;
    script.onerror = failed;
    page.body.append(script);
  });
}

window.IFrameWorker = FrameWorker; // the name by which the site's script knows that it runs in a frame
if (location.protocol === "file:") window.Worker = FrameWorker;
