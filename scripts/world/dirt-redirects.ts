import { type Answer, answerJson, answerStatus, redirect } from './answer.ts'
import { buildDirt } from './dirty-place.ts'
import { buildSmallDocument } from './documents.ts'
import { type FileName, type Place, wellKnownPaths } from './site.ts'

export const redirects: Place[] = [
  buildChain(1, 'ok'),
  buildChain(2, 'ok'),
  buildChain(5, 'too_many_redirects'),
  buildDirt('redirect-loop', 'redirect_loop', (file, host) =>
    redirect(`https://${host}${wellKnownPaths[file]}`),
  ),
  buildDirt('redirect-relative', 'ok', file => redirect(`/moved/1/${file}`, 308), {
    pages: buildHops('dirt-redirect-relative.example', 1),
  }),
  buildDirt('redirect-www', 'ok', (file, host) =>
    redirect(`https://www.${host}${wellKnownPaths[file]}`, 301),
  ),
  buildWww('dirt-redirect-www.example'),
  buildDirt('redirect-off-site', 'redirect_off_site', file =>
    redirect(`https://stands-alone.example${wellKnownPaths[file]}`),
  ),
  buildDirt('redirect-off-and-back', 'redirect_off_site', () =>
    redirect('https://dirt-redirect-back.example/back'),
  ),
  {
    host: 'dirt-redirect-back.example',
    listed: false,
    pages: { '/back': () => redirect('https://dirt-redirect-off-and-back.example/') },
  },
  ...[
    ['private', 'http://127.0.0.1/'],
    ['loopback-https', 'https://127.0.0.1/'],
    ['metadata', 'http://169.254.169.254/latest/meta-data/'],
    ['loopback-ipv6', 'https://[::1]/'],
    ['loopback-decimal', 'https://2130706433/'],
    ['localhost', 'https://localhost/'],
  ].map(([name, to = '']) => buildDirt(`redirect-${name}`, 'redirect_private', () => redirect(to))),
  buildDirt('redirect-to-http', 'redirect_insecure', (file, host) =>
    redirect(`http://${host}/moved${wellKnownPaths[file]}`),
  ),
  buildDirt('redirect-to-file', 'redirect_insecure', () => redirect('file:///etc/passwd')),
  buildDirt('redirect-no-location', 'redirect_without_location', () => answerStatus(302)),
]

/** Builds a chain of redirects within one host that ends at a valid file. */
function buildChain(length: number, situation: string): Place {
  const name = `redirect-chain-${length}`
  const host = `dirt-${name}.example`
  return buildDirt(name, situation, file => redirect(`https://${host}/moved/${length}/${file}`), {
    pages: buildHops(host, length),
  })
}

/**
 * Builds the steps of a chain: `/moved/3/…` redirects to `/moved/2/…`, and `/moved/1/…` is the
 * file.
 */
function buildHops(host: string, length: number): Record<string, () => Answer> {
  const pages: Record<string, () => Answer> = {}
  for (const file of ['brand.json', 'adagents.json'] as const) {
    pages[`/moved/1/${file}`] = () => answerJson(buildSmallDocument(file, host))
    for (let step = 2; step <= length; step++) {
      pages[`/moved/${step}/${file}`] = () => redirect(`https://${host}/moved/${step - 1}/${file}`)
    }
  }
  return pages
}

function buildWww(host: string): Place {
  const published = (file: FileName) => ({
    situation: 'ok',
    document: () => buildSmallDocument(file, host),
  })
  return {
    host: `www.${host}`,
    listed: false,
    files: { 'brand.json': published('brand.json'), 'adagents.json': published('adagents.json') },
  }
}
