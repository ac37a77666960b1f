/*
 * Lets the script of the reference run under a policy without exceptions. What it creates as a style element
 * is an element that is not shown; its text becomes a style sheet of the document, which only a script of this
 * server can make. A style attribute is set through the style object of its element, also where HTML has it.
 * Validators are not compiled: that would run text as code.
 */
;(() => {
  globalThis.__zod_globalConfig = { jitless: true }
  const sheets = new Map()
  const create = Document.prototype.createElement
  const setAttribute = Element.prototype.setAttribute
  const isStyle = name => String(name).toLowerCase() === 'style'

  function apply(element) {
    const sheet = sheets.get(element)
    const others = document.adoptedStyleSheets.filter(other => other !== sheet)
    if (element.isConnected) sheet.replaceSync(element.textContent)
    document.adoptedStyleSheets = element.isConnected ? [...others, sheet] : others
  }

  function createStyle(page) {
    const element = create.call(page, 'adopted-style')
    element.style.display = 'none'
    sheets.set(element, new CSSStyleSheet())
    const changes = { characterData: true, childList: true, subtree: true }
    new MutationObserver(() => apply(element)).observe(element, changes)
    return element
  }

  Document.prototype.createElement = function createElement(name, options) {
    return isStyle(name) ? createStyle(this) : create.call(this, name, options)
  }

  Element.prototype.setAttribute = function set(name, value) {
    if (isStyle(name) && this.style) this.style.cssText = value
    else setAttribute.call(this, name, value)
  }

  const inner = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML')
  const TAG = /<[a-z](?:[^<>"']|"[^"]*"|'[^']*')*>/gi
  const HELD = 'data-held-style'

  Object.defineProperty(Element.prototype, 'innerHTML', {
    ...inner,
    set(html) {
      const text = html === null ? '' : String(html)
      if (!text.includes('style=')) return inner.set.call(this, text)
      // A `style` between tags is text: what stands there is escaped.
      const held = text.replace(TAG, tag => tag.replace(/ style=/g, ` ${HELD}=`))
      inner.set.call(this, held)
      for (const element of this.querySelectorAll(`[${HELD}]`)) {
        element.style.cssText = element.getAttribute(HELD)
        element.removeAttribute(HELD)
      }
    },
  })

  // An element counts while it is in the document: it may be filled before it comes, and may leave.
  new MutationObserver(() => {
    const adopted = new Set(document.adoptedStyleSheets)
    for (const [element, sheet] of sheets)
      if (adopted.has(sheet) !== element.isConnected) apply(element)
  }).observe(document, { childList: true, subtree: true })
})()
