// Preloaded into the runner: some storyboards name dates of spring 2026, and replace them by others,
// which differ between two calls, once these have passed.
const RealDate = Date
const behindMs = RealDate.now() - RealDate.parse((process.env.CONFORMANCE_START ?? '2026-04-01T00:00:00Z'))

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length > 0) super(...parts)
    else super(RealDate.now() - behindMs)
  }

  static now() {
    return RealDate.now() - behindMs
  }
}
