/**
 * Lists the addresses at which an agent may listen, the likeliest first: the address itself, with or
 * without its slash, and the usual path below it, unless the address ends in that path.
 */
export function listEndpoints(address: string): string[] {
  const url = new URL(address)
  const base = url.pathname.replace(/\/+$/, '')
  const paths = url.pathname.endsWith('/') && base !== '' ? [`${base}/`, base] : [base, `${base}/`]
  if (!base.endsWith('/mcp')) paths.push(`${base}/mcp`, `${base}/mcp/`)
  return [...new Set(paths.map(path => resolveAt(url, path)))]
}

/** Returns the base of an agent: its address without the path segment that names a transport. */
export function toBase(address: string): URL {
  const url = new URL(address)
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/(mcp|a2a|sse)$/, '')
  url.search = ''
  url.hash = ''
  return url
}

function resolveAt(url: URL, path: string): string {
  const endpoint = new URL(url)
  endpoint.pathname = path
  return endpoint.href
}
