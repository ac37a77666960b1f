/**
 * Parses an absolute address; undefined when the text is none. `URL.canParse` is called nowhere: Node 20
 * refuses `https://Müller.example` by it as soon as V8 has optimised its caller.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** Parses an address as it is requested: without the fragment. */
export function parseRequestUrl(text: string, base?: string): URL | undefined {
  const url = parseUrl(text, base)
  if (url?.hash) url.hash = ''
  return url
}

/**
 * Parses and normalizes an address: without fragment, and without a dot at the end of the host.
 * Undefined when the text is not an address.
 */
export function parseNormalizedUrl(text: string, base?: string): URL | undefined {
  const url = parseRequestUrl(text, base)
  if (url?.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  return url
}
