/** Finds the keys that sign webhooks as a receiver does: by the brand.json that declares the agent. */
export async function findWebhookKeys(url: string) {
  const brand = await fetchJson(new URL('/.well-known/brand.json', url))
  const agent = brand.agents.find((one: { url: string }) => one.url === url)
  return (await fetchJson(agent.jwks_uri)).keys
}

// biome-ignore lint/suspicious/noExplicitAny: files of our own agent
async function fetchJson(url: string | URL): Promise<any> {
  return (await fetch(url)).json()
}
