import { type Answer, json, redirect, status } from './answer.ts'
import { dirt } from './dirty-place.ts'
import { smallDocument } from './documents.ts'
import { type FileName, type Place, pathOf } from './site.ts'

export const redirects: Place[] = [
  chain(1, 'ok'),
  chain(2, 'ok'),
  chain(5, 'too_many_redirects'),
  dirt('redirect-loop', 'redirect_loop', (file, host) =>
    redirect(`https://${host}${pathOf[file]}`),
  ),
  dirt('redirect-relative', 'ok', file => redirect(`/moved/1/${file}`, 308), {
    pages: hops('dirt-redirect-relative.example', 1),
  }),
  dirt('redirect-www', 'ok', (file, host) => redirect(`https://www.${host}${pathOf[file]}`, 301)),
  wwwOf('dirt-redirect-www.example'),
  dirt('redirect-off-site', 'redirect_off_site', file =>
    redirect(`https://stands-alone.example${pathOf[file]}`),
  ),
  dirt('redirect-off-and-back', 'redirect_off_site', () =>
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
  ].map(([name, to]) => dirt(`redirect-${name}`, 'redirect_private', () => redirect(to!))),
  dirt('redirect-to-http', 'redirect_insecure', (file, host) =>
    redirect(`http://${host}/moved${pathOf[file]}`),
  ),
  dirt('redirect-to-file', 'redirect_insecure', () => redirect('file:///etc/passwd')),
  dirt('redirect-no-location', 'redirect_without_location', () => status(302)),
]

/** A walk of so many steps within one host, ending at a good file. */
function chain(length: number, situation: string): Place {
  const name = `redirect-chain-${length}`
  const host = `dirt-${name}.example`
  return dirt(name, situation, file => redirect(`https://${host}/moved/${length}/${file}`), {
    pages: hops(host, length),
  })
}

/** `/moved/3/…` leads to `/moved/2/…` and so on; `/moved/1/…` is the file. */
function hops(host: string, length: number): Record<string, () => Answer> {
  const pages: Record<string, () => Answer> = {}
  for (const file of ['brand.json', 'adagents.json'] as const) {
    pages[`/moved/1/${file}`] = () => json(smallDocument(file, host))
    for (let step = 2; step <= length; step++) {
      pages[`/moved/${step}/${file}`] = () => redirect(`https://${host}/moved/${step - 1}/${file}`)
    }
  }
  return pages
}

function wwwOf(host: string): Place {
  const published = (file: FileName) => ({
    situation: 'ok',
    document: () => smallDocument(file, host),
  })
  return {
    host: `www.${host}`,
    listed: false,
    files: { 'brand.json': published('brand.json'), 'adagents.json': published('adagents.json') },
  }
}
