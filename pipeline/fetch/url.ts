/** Parses a URL; `canParse` and then `new URL` would parse every address twice. */
export function parseUrl(text: string): URL | undefined {
  try {
    const url = new URL(text)
    if (url.hash) url.hash = ''
    return url
  } catch {
    return undefined
  }
}
