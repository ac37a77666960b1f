/** Address of an agent card, which people give as the address of the agent: the agent is where it lies. */
const CARD = /\/\.well-known\/agent(?:-card)?\.json$/

/**
 * Lists the addresses at which an agent may listen, the likeliest first: the address itself, with or
 * without its slash, and the usual path below it, unless the address ends in that path.
 */
export function listEndpoints(address: string): string[] {
  const url = toAgentPlace(address)
  const base = url.pathname.replace(/\/+$/, '')
  const paths = url.pathname.endsWith('/') && base !== '' ? [`${base}/`, base] : [base, `${base}/`]
  if (!base.endsWith('/mcp')) paths.push(`${base}/mcp`, `${base}/mcp/`)
  return [...new Set(paths.map(path => resolveAt(url, path)))]
}

/**
 * Lists the addresses at which an agent may open the stream of the older transport: its address, and the
 * usual path below it.
 */
export function listStreams(address: string): string[] {
  const url = toAgentPlace(address)
  const base = url.pathname.replace(/\/+$/, '')
  const below = base.endsWith('/sse') ? [] : [resolveAt(url, `${base.replace(/\/mcp$/, '')}/sse`)]
  return [url.href, ...below]
}

/** Returns the base of an agent: its address without the path segment that names a transport. */
export function toBase(address: string): URL {
  const url = toAgentPlace(address)
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/(mcp|a2a|sse)$/, '')
  url.search = ''
  url.hash = ''
  return url
}

function toAgentPlace(address: string): URL {
  const url = new URL(address)
  return CARD.test(url.pathname) ? new URL(resolveAt(url, url.pathname.replace(CARD, ''))) : url
}

function resolveAt(url: URL, path: string): string {
  const endpoint = new URL(url)
  endpoint.pathname = path
  return endpoint.href
}
