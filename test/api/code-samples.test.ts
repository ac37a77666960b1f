import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeExample } from '../../api/reference/describe-examples.ts'
import { type Example, type ExampleRequest, readExamples } from '../../api/reference/examples.ts'
import { operations } from '../../api/routes/index.ts'
import { makeTemporaryFolder } from '../support/processes/command.ts'

const KEY = 'sk_of_the_reader'

/** A request as it arrived. */
interface Arrived {
  method: string | undefined
  url: string | undefined
  authorization: string | undefined
  headers: Record<string, unknown>
  body: string
}

const run = promisify(execFile)
const hasPython = spawnSync('python3', ['--version']).status === 0
const examples = readExamples()
const folder = makeTemporaryFolder()
const sampled = operations.filter(({ id }) => examples[id] !== undefined)
let server: Server
let baseUrl: string
let arrived: Arrived[] = []

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method, url, headers } = request
    arrived.push({ method, url, authorization: headers.authorization, headers, body })
    const operation = sampled.find(
      operation => operation.method === method && examples[operation.id]!.request.url === url,
    )
    const { status, answer } = operation ? examples[operation.id]! : { status: 404 }
    const isPacked = operation?.id === 'snapshotAuthorizations'
    response.writeHead(status, isPacked ? { 'content-encoding': 'gzip' } : {})
    if (isPacked) response.end(gzipSync('{}\n'))
    else response.end(answer === undefined ? '' : JSON.stringify(answer))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.close()
  folder.remove()
})

/** Writes the samples of one language as files, and those that they read. */
function writeSamples(language: string, extension: string): string[] {
  const place = join(folder.path, language)
  mkdirSync(place)
  return sampled.map(operation => {
    const { file } = examples[operation.id]!.request
    if (file !== undefined) writeFileSync(join(place, file.name), file.content)
    const { source } = describeExample(operation, baseUrl).samples.find(
      ({ lang }) => lang === language,
    )!
    const path = join(place, `${operation.id}.${extension}`)
    writeFileSync(path, `${source}\n`)
    return path
  })
}

/** Runs all samples of a language in one process, which prints nothing else than they do. */
async function runSamples(
  language: string,
  command: string,
  args: readonly string[],
): Promise<string> {
  arrived = []
  const { stdout } = await run(command, [...args], {
    cwd: join(folder.path, language),
    env: { PATH: process.env.PATH, REGISTRY_KEY: KEY, REGISTRY_USER_TOKEN: KEY },
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

function expectRequests(): void {
  expect(arrived).toHaveLength(sampled.length)
  for (const [at, { id, method }] of sampled.entries()) {
    const { request } = examples[id]!
    const { body, headers, ...line } = arrived[at]!
    const authorization = request.authorized && `Bearer ${KEY}`
    expect({ id, ...line }).toEqual({ id, method, url: request.url, authorization })
    expectBody(id, request, body, headers)
    expect(headers).toMatchObject(request.headers ?? {})
  }
}

function expectBody(
  id: string,
  request: ExampleRequest,
  body: string,
  headers: Arrived['headers'],
) {
  if (request.file !== undefined) return expectForm(request.file, body, headers)
  if (request.body === undefined) return expect([id, body]).toEqual([id, request.text ?? ''])
  expect([id, headers['content-type']]).toEqual([id, 'application/json'])
  return expect(JSON.parse(body)).toEqual(request.body)
}

function expectForm(file: NonNullable<Example['request']['file']>, body: string, headers: object) {
  const { 'content-type': type } = headers as { 'content-type': string }
  const [, boundary] = /^multipart\/form-data; boundary=(\S+)$/.exec(type)!
  const [, part, end] = body.split(`--${boundary}`)
  const [head, content] = part!.split('\r\n\r\n')
  expect(head!.toLowerCase()).toContain(`form-data; name="file"; filename="${file.name}"`)
  expect(head!.toLowerCase()).toContain(`content-type: ${file.type}`)
  expect(content).toBe(`${file.content}\r\n`)
  expect(end).toBe('--\r\n')
}

test('every operation has an example, in three languages', () => {
  const bare = operations.filter(operation => describeExample(operation, '').samples.length !== 3)
  expect(bare.map(({ id }) => id)).toEqual([])
  expect(
    Object.keys(examples).filter(id => !operations.some(operation => operation.id === id)),
  ).toEqual([])
})

test('samples whose path has an ID say that it must be replaced', () => {
  const withId = sampled.filter(({ id }) => /\/01939f00-[^?]+/.test(examples[id]!.request.url))
  expect(withId.length).toBeGreaterThan(20)
  for (const operation of withId)
    for (const { lang, source } of describeExample(operation, '').samples)
      expect([lang, source.split('\n', 1)[0]]).toEqual([
        lang,
        expect.stringMatching(/^(?:#|\/\/) (?:Replace the ID|Use an ID)/),
      ])
})

describe('the samples send the requests that the registry answered', () => {
  test('with curl', async () => {
    const paths = writeSamples('Shell', 'sh')
    await runSamples('Shell', 'bash', ['-eu', '-c', paths.map(path => `. ${path}`).join('\n')])
    expectRequests()
  })

  test('with TypeScript', async () => {
    const paths = writeSamples('TypeScript', 'mts')
    const script = paths.map(path => `await import('${path}')`).join('\n')
    const tsx = import.meta.resolve('tsx')
    await runSamples('TypeScript', process.execPath, [
      `--import=${tsx}`,
      '--input-type=module',
      '-e',
      script,
    ])
    expectRequests()
  })

  test.skipIf(!hasPython)('with Python', async () => {
    const paths = writeSamples('Python', 'py')
    const script = `import runpy\n${paths.map(path => `runpy.run_path('${path}')`).join('\n')}`
    await runSamples('Python', 'python3', ['-c', script])
    expectRequests()
  })
})
