import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface TestMailServer {
  url: string
  /** Messages with their headers, as they came over the wire. */
  mails: string[]
  /** Recipients, as the envelopes named them. */
  recipients: string[]
  close(): Promise<void>
}

/** Opens a mail server on this machine, which takes every mail, or refuses each recipient. */
export async function openMailServer(refuses = false): Promise<TestMailServer> {
  const mails: string[] = []
  const recipients: string[] = []
  const server = createServer(socket => converse(socket, { mails, recipients, refuses }))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    recipients,
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}

interface Box {
  mails: string[]
  recipients: string[]
  refuses: boolean
}

async function converse(socket: Socket, { mails, recipients, refuses }: Box): Promise<void> {
  const say = (line: string) => socket.write(`${line}\r\n`)
  say('220 mail.example')
  let left = ''
  let mail: string | undefined
  for await (const chunk of socket.setEncoding('utf8')) {
    left += chunk
    for (let end = left.indexOf('\r\n'); end !== -1; end = left.indexOf('\r\n')) {
      const line = left.slice(0, end)
      left = left.slice(end + 2)
      if (mail !== undefined) {
        if (line !== '.') {
          mail += `${line}\n`
          continue
        }
        mails.push(mail)
        mail = undefined
        say('250 taken')
      } else if (/^RCPT TO:/i.test(line)) {
        if (!refuses) recipients.push(line.slice('RCPT TO:'.length))
        say(refuses ? '550 nobody of that name' : '250 fine')
      } else if (/^DATA/i.test(line)) {
        mail = ''
        say('354 go on')
      } else if (/^QUIT/i.test(line)) {
        socket.end('221 bye\r\n')
      } else say('250 fine')
    }
  }
}
