/** Things of the registry that a client can read as resources; their addresses are those of the API. */
const templates = [
  {
    name: 'brand',
    title: 'Brand of a domain',
    path: '/api/brands/resolve?domain=',
    variable: 'domain',
    rest: '',
    description: 'Which brand a domain belongs to, with its identity and its source',
  },
  {
    name: 'publisher',
    title: 'Inventory of a publisher',
    path: '/api/registry/publisher?domain=',
    variable: 'domain',
    rest: '',
    description: 'What a domain owns, which agents it authorizes, and the state of its file',
  },
  {
    name: 'agent',
    title: 'Publishers of an agent',
    path: '/api/v1/agents/',
    variable: 'agent_url',
    rest: '/publishers',
    description: 'The publishers that authorize the agent at a URL',
  },
] as const

/** Documents that help a client with everything else. */
const documents = [
  { name: 'llms.txt', path: '/llms.txt', mimeType: 'text/plain' },
  { name: 'OpenAPI', path: '/openapi/registry.yaml', mimeType: 'application/yaml' },
] as const

export function listResources(origin: string) {
  return documents.map(({ path, ...document }) => ({ ...document, uri: origin + path }))
}

export function listResourceTemplates(origin: string) {
  return templates.map(({ name, title, description, path, variable, rest }) => ({
    name,
    title,
    description,
    uriTemplate: `${origin}${path}{${variable}}${rest}`,
    mimeType: 'application/json',
  }))
}

const VALUE_CHARS_MAX = 4_096

/**
 * Finds the path at which a resource is read; undefined if the registry offers no such resource. The value in an
 * address is one value: it can neither name another parameter nor change the path.
 */
export function findResourcePath(origin: string, uri: string): string | undefined {
  if (!uri.startsWith(`${origin}/`)) return undefined
  const place = uri.slice(origin.length)
  if (documents.some(({ path }) => path === place)) return place
  for (const { path, rest } of templates) {
    if (!place.startsWith(path) || !place.endsWith(rest)) continue
    const value = place.slice(path.length, place.length - rest.length)
    const decoded = decodeValue(value)
    if (decoded === undefined || /^\.{0,2}$/.test(decoded)) continue
    return `${path}${encodeURIComponent(decoded)}${rest}`
  }
  return undefined
}

/** Decodes a percent-encoded value; undefined for a long one, and for what is not encoded so. */
export function decodeValue(value: string): string | undefined {
  if (value.length > VALUE_CHARS_MAX) return undefined
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
