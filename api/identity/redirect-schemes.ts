/**
 * Schemes without a dot that known applications for agents register. RFC 8252 wants a scheme to be the
 * reversed domain of the application; these applications do not follow it.
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
 * Finds a redirect address whose scheme may open a program of the device instead of the application, such as
 * `mailto:` or `ms-msdt:`, which would then receive the code.
 */
export function findForeignScheme(uris: readonly string[]): string | undefined {
  return uris.find(uri => {
    const { protocol } = new URL(uri)
    return !web.has(protocol) && !known.has(protocol) && !protocol.includes('.')
  })
}
