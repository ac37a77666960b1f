/** Nothing runs but the scripts of this server, nothing is loaded from elsewhere, nobody frames it. */
const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
}

function renderPolicy(rules: Record<string, string>) {
  const text = Object.entries(rules).map(([name, value]) => `${name} ${value}`)
  return { 'content-security-policy': text.join('; ') }
}

/** Policy of a page that runs WebAssembly of this server in a worker; text is never run as code. */
export const browserPolicy = renderPolicy({
  ...policy,
  'script-src': "'self' 'wasm-unsafe-eval'",
  'worker-src': "'self'",
})

export const pageHeaders = {
  ...renderPolicy(policy),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const

export const HTML = 'text/html; charset=utf-8'
