import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sendTexts } from '../../../api/responses/ndjson.ts'
import { type Log, silentLog } from '../../../pipeline/core/log.ts'

async function* writeEndlessly() {
  for (;;) {
    yield 'line\n'.repeat(1_000)
    await setTimeout(1)
  }
}

async function* writeAndFail() {
  yield 'line\n'
  throw new Error('the snapshot cannot be read')
}

/** Sends texts to a caller that leaves after the first of them, and returns what was warned of. */
async function findWarnings(texts: AsyncIterable<string>): Promise<unknown[]> {
  const warned: unknown[] = []
  const log = { ...silentLog, debug() {}, warn: (facts: unknown) => warned.push(facts) } as Log
  let sent: Promise<void> | undefined
  const server = createServer((_, response) => {
    sent = sendTexts(response, texts, { log, isGzipped: false })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [answer] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage]
  answer.on('error', () => undefined)
  await once(answer, 'data')
  answer.destroy()
  await sent
  server.close()
  return warned
}

test('a caller that leaves in the middle of a streamed answer is no failure', async () => {
  expect(await findWarnings(writeEndlessly())).toEqual([])
})

test('a source that fails is named in the log', async () => {
  expect(await findWarnings(writeAndFail())).toMatchObject([
    { error: { message: 'the snapshot cannot be read' } },
  ])
})
