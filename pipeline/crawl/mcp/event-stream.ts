/** An event; its type is `message` unless the server names another. */
export interface ServerSentEvent {
  type: string
  data: string
}

/**
 * Parses server-sent events incrementally: the lines of an event are joined, events without data dropped,
 * comments and ids ignored. Buffers only the incomplete event; the caller bounds its size.
 */
export class EventStream {
  readonly #decoder = new TextDecoder()
  /** Pieces of a line that has not ended. */
  #line: string[] = []
  #data: string[] = []
  #type = ''
  /** The last line ended with a carriage return, whose line feed may still come. */
  #afterReturn = false

  push(bytes: Uint8Array): ServerSentEvent[] {
    return this.#take(this.#decoder.decode(bytes, { stream: true }))
  }

  #take(text: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = []
    let start = 0
    if (this.#afterReturn && text.startsWith('\n')) start = 1
    if (text !== '') this.#afterReturn = false
    for (let end = findLineEnd(text, start); end >= 0; end = findLineEnd(text, start)) {
      this.#line.push(text.slice(start, end))
      start = end + 1
      if (text[end] === '\r') {
        if (text[start] === '\n') start++
        else if (start === text.length) this.#afterReturn = true
      }
      const event = this.#endLine()
      if (event !== undefined) events.push(event)
    }
    if (start < text.length) this.#line.push(text.slice(start))
    return events
  }

  /** Returns the event that this line completes: an empty line after data. */
  #endLine(): ServerSentEvent | undefined {
    const [part = '', ...others] = this.#line
    const line = others.length === 0 ? part : this.#line.join('')
    this.#line = []
    if (line !== '') {
      if (line === 'data') this.#data.push('')
      else if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5))
      else if (line.startsWith('event:')) this.#type = line.slice(line[6] === ' ' ? 7 : 6)
      return undefined
    }
    const type = this.#type || 'message'
    this.#type = ''
    if (this.#data.length === 0) return undefined
    const data = this.#data.join('\n')
    this.#data = []
    return { type, data }
  }
}

const LINE_END = /[\r\n]/g

function findLineEnd(text: string, from: number): number {
  LINE_END.lastIndex = from
  return LINE_END.exec(text)?.index ?? -1
}
