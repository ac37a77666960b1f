/** One message of a stream of server-sent events. */
export interface Frame {
  event: string
  /** Id that a client sends to continue after it; absent if it does not move on. */
  id?: string
  data: Record<string, unknown>
}

export interface OpenStream {
  headers: Headers
  /** Waits for the next message and returns it. */
  next(): Promise<Frame>
  /** Messages that came and were not asked for. */
  readonly waiting: number
  /** True once the server has ended the stream. */
  ended: Promise<boolean>
  close(): void
}

/** Opens a stream and reads it as a client would. */
export async function openStream(
  url: string,
  token?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<OpenStream> {
  const leaving = new AbortController()
  const answer = await fetch(url, {
    headers: {
      ...headers,
      accept: 'text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    signal: leaving.signal,
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  const frames: Frame[] = []
  let wake: (() => void) | undefined
  const ended = (async () => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of answer.body!) {
      text += decoder.decode(chunk, { stream: true })
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        if (!text.startsWith(':')) frames.push(parseFrame(text.slice(0, end)))
        text = text.slice(end + 2)
      }
      wake?.()
    }
    return true
  })().catch(() => false)
  return {
    headers: answer.headers,
    ended,
    async next() {
      while (frames.length === 0) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
      return frames.shift()!
    },
    get waiting() {
      return frames.length
    },
    close: () => leaving.abort(),
  }
}

/** Reads one message. */
export function parseFrame(text: string): Frame {
  const find = (name: string) =>
    text
      .split('\n')
      .find(line => line.startsWith(name))
      ?.slice(name.length)
  const id = find('id: ')
  return {
    event: find('event: ')!,
    ...(id !== undefined && { id }),
    data: JSON.parse(find('data: ')!),
  }
}
