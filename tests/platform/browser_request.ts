/** Runs code as in a browser, as far as headers of requests go. @module */

/** Calls a function while requests drop headers that only a browser may set, as Chromium does. */
export function withBrowserRequest<T>(action: () => T): T {
  const { Request } = globalThis;
  class FilteringRequest extends Request {
    constructor(input: string, init: RequestInit = {}) {
      const headers = new Headers(init.headers);
      headers.delete("accept-encoding");
      super(input, { ...init, headers });
    }
  }
  globalThis.Request = FilteringRequest as typeof Request;
  try {
    return action();
  } finally {
    globalThis.Request = Request;
  }
}
