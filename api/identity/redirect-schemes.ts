/**
 * Schemes without a dot under which applications for tools of agents really register. RFC 8252 wants a scheme to be
 * a domain that the application has, written backwards; these are older than that or do without.
 */
const known = new Set([
  'claude:',
  'cursor:',
  'vscode:',
  'vscode-insiders:',
  'vscodium:',
  'windsurf:',
])
const web = new Set(['http:', 'https:'])

/**
 * Returns a redirect address whose scheme may be a program of the system and not of an application, if there is
 * one: the code would be handed to `mailto:`, `ms-msdt:` or whatever else a device opens.
 */
export function findForeignScheme(uris: readonly string[]): string | undefined {
  return uris.find(uri => {
    const { protocol } = new URL(uri)
    return !web.has(protocol) && !known.has(protocol) && !protocol.includes('.')
  })
}
