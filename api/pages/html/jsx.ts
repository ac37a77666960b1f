/**
 * Text that is already HTML. Only `h` and the constants of this folder create it; whatever is read from a
 * store is a string, which is escaped.
 */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

export type Child = Html | string | number | boolean | null | undefined | readonly Child[]
type Value = string | number | boolean | null | undefined

const ATTRIBUTE = /^[a-z][A-Za-z0-9:-]*$/
/** Attributes whose text a browser runs or loads as something else than text. */
const FORBIDDEN = /^(?:on|style$|srcdoc$|srcset$|formaction$|ping$|xlink:|http-equiv$)/i
/** Elements whose content is not parsed as HTML, so that escaping would not protect it. */
const RAW = new Set(['script', 'style', 'iframe', 'noscript', 'xmp', 'plaintext'])
const ADDRESSES = new Set(['href', 'src', 'action'])
const VOID = new Set(['br', 'hr', 'img', 'input', 'link', 'meta', 'wbr'])
/** Characters that no page shows, and those that change the direction of other text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

/** Matches a character that is escaped or replaced; most texts have none. */
const ESCAPED = new RegExp(`[&<>"']|${UNSEEN.source}`)

/** Escapes text for content and for quoted attributes alike. */
export function escapeHtml(text: string): string {
  if (!ESCAPED.test(text)) return text
  return text.replace(UNSEEN, '\ufffd').replace(/[&<>"']/g, character => entities[character] ?? '')
}

/** Holds the text around an element's attributes and content. */
interface Tag {
  start: string
  /** The start of an element without attributes. */
  bare: string
  /** Empty where the element holds nothing and is not closed. */
  end: string
  isRaw: boolean
}

/** Tags that were written before: as many as the code of pages has. */
const tags = new Map<string, Tag>()

function findTag(name: string): Tag {
  const known = tags.get(name)
  if (known !== undefined) return known
  const end = VOID.has(name) ? '' : `</${name}>`
  const tag = { start: `<${name}`, bare: `<${name}>`, end, isRaw: RAW.has(name) }
  tags.set(name, tag)
  return tag
}

/** `<>…</>` in JSX: its children alone. */
export const Fragment = ''

/**
 * Builds an element: `h` is what JSX compiles to. Text is escaped wherever it stands. Addresses lead
 * to this server, or over HTTP elsewhere; any other is left out. Handlers, inline styles and inline
 * scripts cannot be written at all.
 */
export function h(tag: string, attributes: Readonly<Record<string, Value | Child>> | null): Html
export function h(
  tag: string,
  attributes: Readonly<Record<string, Value | Child>> | null,
  ...children: Child[]
): Html
export function h(
  tag: string,
  attributes: Readonly<Record<string, Value | Child>> | null,
  ...children: Child[]
): Html {
  if (tag === Fragment) return new Html(renderChildren(children))
  const { start, bare, end, isRaw } = findTag(tag)
  const opened = attributes ? `${start + renderAttributes(attributes)}>` : bare
  if (tag === 'textarea') return new Html(`${opened}\n${renderEditable(children)}${end}`)
  const content = renderChildren(children)
  if (isRaw && content !== '') throw new Error(`<${tag}> can hold nothing`)
  return new Html(end === '' ? opened : opened + content + end)
}

export function renderChildren(child: Child): string {
  if (child === null || child === undefined || typeof child === 'boolean') return ''
  if (typeof child === 'string') return escapeHtml(child)
  if (child instanceof Html) return child.toString()
  if (!Array.isArray(child)) return escapeHtml(String(child))
  let text = ''
  for (const part of child)
    text += typeof part === 'string' ? escapeHtml(part) : renderChildren(part)
  return text
}

/**
 * Escapes the text of a field that people edit. It keeps even characters that no page shows, since the text
 * is sent back; browsers decode entities in a `textarea` and drop a first line break.
 */
function renderEditable(children: readonly Child[]): string {
  const [text = '', ...more] = children
  if (typeof text !== 'string' || more.length > 0) throw new Error('<textarea> holds one text')
  return text.replace(/[&<>]/g, character => entities[character] ?? '').replaceAll('\0', '\ufffd')
}

function renderAttributes(attributes: Readonly<Record<string, Value | Child>>): string {
  let rendered = ''
  for (const name in attributes) {
    const value = attributes[name]
    if (value === null || value === undefined || value === false) continue
    const { bare, start, isAddress } = findAttribute(name)
    const text = String(value)
    if (isAddress && !isSafeAddress(text)) continue
    rendered += value === true ? bare : `${start + escapeHtml(text)}"`
  }
  return rendered
}

/** Holds the text before the value of an attribute. */
interface Attribute {
  start: string
  /** An attribute without a value. */
  bare: string
  isAddress: boolean
}

/** Attributes that were checked before; there are only as many as our own pages use. */
const allowed = new Map<string, Attribute>()

function findAttribute(name: string): Attribute {
  const known = allowed.get(name)
  if (known !== undefined) return known
  if (!ATTRIBUTE.test(name) || FORBIDDEN.test(name)) throw new Error(`${name} is no attribute`)
  const attribute = { start: ` ${name}="`, bare: ` ${name}`, isAddress: ADDRESSES.has(name) }
  allowed.set(name, attribute)
  return attribute
}

/** Tells whether an address stays on this server or leads elsewhere over HTTP, and runs nothing. */
export function isSafeAddress(address: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop them and read on
  return /^(?:https?:\/\/(?=[^/])|\/(?!\/)|[?#])[^\u0000-\u0020\\]*$/i.test(address)
}

type AttributeName =
  | 'id class title lang dir role href src action method type name value placeholder rel target'
  | 'content property charset rows cols wrap list spellcheck enctype accept'
type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}`
  ? Word | Words<Rest>
  : Text

type Attributes = Partial<
  Record<
    | Words<AttributeName>
    | `aria-${string}`
    | `data-${string}`
    | 'for'
    | 'form'
    | 'scope'
    | 'datetime'
    | 'tabindex'
    | 'width'
    | 'height'
    | 'alt'
    | 'loading'
    | 'open'
    | 'defer'
    | 'autofocus'
    | 'autocomplete'
    | 'maxlength'
    | 'required'
    | 'hidden'
    | 'readonly'
    | 'colspan'
    | 'viewBox'
    | 'fill'
    | 'd'
    | 'x'
    | 'y'
    | 'rx'
    | 'r'
    | 'cx'
    | 'cy'
    | 'text-anchor'
    | 'preserveAspectRatio'
    | 'minlength'
    | 'checked'
    | 'disabled'
    | 'color-scheme'
    | 'sizes'
    | 'selected',
    Value
  >
> & { children?: Child }

type TagName = Words<
  | 'html head body title meta link script header main footer nav section article aside h1 h2 h3 h4 p'
  | 'a ul ol li dl dt dd div span strong em small code pre bdi br hr time form label input button'
  | 'select option datalist table caption thead tbody tr th td details summary figure figcaption img mark'
  | 'svg g rect circle path text kbd abbr search textarea fieldset legend wbr'
>

export declare namespace h {
  namespace JSX {
    type Element = Html
    interface ElementChildrenAttribute {
      children: unknown
    }
    type IntrinsicElements = Record<TagName, Attributes>
  }
}
