import { hash } from 'node:crypto'
import type { Format } from '../catalogue/formats.ts'
import type { Asset, Assets } from './creative.ts'

/** Values for placeholders such as `{CLICK_URL}`. */
export type Macros = Readonly<Record<string, string>>

const STYLE = `body{margin:0;font:16px/1.4 system-ui,sans-serif;background:#fff;color:#1c1c1c}
img,video{display:block;max-width:100%}a{color:inherit;text-decoration:none}
.card{max-width:360px;border:1px solid #ddd;border-radius:8px;overflow:hidden}
.card img{width:100%}.card h1{font-size:18px;margin:12px}.card p{margin:12px;color:#555}`

/** Source of a content security policy that allows the style of previews and no other. */
export const PREVIEW_STYLE = `'sha256-${hash('sha256', STYLE, 'base64')}'`

/** Renders valid assets as a page for browsers. Nothing in it can run. */
export function renderCreative(format: Format, assets: Assets, macros: Macros = {}): string {
  const text = (id: string) => replaceMacros(readField(assets[id], 'content'), macros)
  const address = (id: string) =>
    replaceMacros(readField(assets[id], 'url'), macros, encodeURIComponent)
  const link = address('click_url')
  const content = renderAssets(format, text, address)
  const body = link
    ? `<a href="${escapeHtml(link)}" target="_blank" rel="noopener noreferrer">${content}</a>`
    : content
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(format.name)}</title>` +
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head>` +
    `<body>${body}</body></html>`
  )
}

/** Renders the assets by the kind of the format; `text` and `address` read an asset by its id. */
function renderAssets(
  format: Format,
  text: (id: string) => string,
  address: (id: string) => string,
): string {
  const size = format.size ? ` width="${format.size.width}" height="${format.size.height}"` : ''
  if (format.assets.some(({ asset_type }) => asset_type === 'vast')) {
    return `<pre>${escapeHtml(text('vast') || address('vast'))}</pre>`
  }
  if (format.type === 'video') {
    return `<video src="${escapeHtml(address('video'))}"${size} controls muted playsinline></video>`
  }
  if (format.type === 'audio') {
    return `<audio src="${escapeHtml(address('audio'))}" controls></audio>`
  }
  const source = address('image') || address('generated_image')
  const image = `<img src="${escapeHtml(source)}"${size} alt="${escapeHtml(text('headline'))}">`
  if (!format.isResponsive) return image
  const headline = `<h1>${escapeHtml(text('headline'))}</h1>`
  const body = text('body') && `<p>${escapeHtml(text('body'))}</p>`
  return `<div class="card">${image}${headline}${body}</div>`
}

function readField(asset: Asset | Asset[] | undefined, name: string): string {
  const [first] = [asset].flat()
  const value = first?.[name]
  return typeof value === 'string' ? value : ''
}

/** Replaces placeholders with a known value, encoded by `encode`; the others stay. */
function replaceMacros(text: string, macros: Macros, encode = (value: string) => value): string {
  return text.replace(/\{([A-Za-z0-9_]+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(macros, name) ? macros[name] : undefined
    return value === undefined ? whole : encode(value)
  })
}

/** Escapes a text for element content and for attributes, of XML too. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`)
}
