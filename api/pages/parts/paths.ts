/** Builds the path of the page of a brand. */
export function toBrandPath(domain: string): string {
  return `/brand/${encodeURIComponent(domain)}`
}

export function toPublisherPath(domain: string): string {
  return `/publisher/${encodeURIComponent(domain)}`
}

export function toAgentPath(url: string): string {
  return `/agent/${encodeURIComponent(url)}`
}

/** Builds the path of the page that shows every state of a brand or a publisher. */
export function toHistoryPath(kind: 'brand' | 'publisher', domain: string): string {
  return `/${kind}/${encodeURIComponent(domain)}/history`
}

/** Builds the path of the page that tells whether an agent can sell for a publisher. */
export function toPublisherAuthorizationPath(
  agent_url: string,
  domain: string,
  past: { as_of?: string } = {},
): string {
  return `/authorization?${new URLSearchParams({ agent_url, domain, ...past })}`
}

export function toMirrorPath(platform: string): string {
  return `/mirror/${encodeURIComponent(platform)}`
}

export function toStoryboardPath(id: string): string {
  return `/storyboard/${encodeURIComponent(id)}`
}

export function toPolicyPath(id: string): string {
  return `/policy/${encodeURIComponent(id)}`
}

/** Builds the path of the bytes of a file; `location` is a domain or the address of the file. */
export function toRawFilePath(kind: 'adagents.json' | 'brand.json', location: string): string {
  return `/file/${kind}/${encodeURIComponent(location)}`
}

export function toWorkshopPath(domain: string, kind: 'adagents.json' | 'brand.json'): string {
  return `/workshop?${new URLSearchParams({ domain, kind })}`
}

/** Builds the path of the page on which a signed-in person has a domain crawled. */
export function toCrawlPath(domain: string): string {
  return `/dashboard/crawl?${new URLSearchParams({ domain })}`
}

/** Builds the path of the page on which a signed-in person adds an agent. */
export function toAddAgentPath(url: string): string {
  return `/dashboard/agents?${new URLSearchParams({ url })}`
}

/** Builds the path of the page on which a signed-in person verifies a domain. */
export function toVerifyPath(domain: string): string {
  return `/dashboard/verify?${new URLSearchParams({ domain })}`
}
