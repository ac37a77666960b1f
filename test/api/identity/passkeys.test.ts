import { randomUUID } from 'node:crypto'
import { load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { Operation } from '../../../pipeline/model/submission.ts'
import {
  buildAuthorizeUrl,
  createVerifier,
  openWithSignIn,
  register,
  TestBrowser,
} from '../../support/clients/signing-in.ts'
import {
  type AuthenticatorClaims,
  createPasskey,
} from '../../support/clients/software-authenticator.ts'
import { openForAll } from '../../support/runner/open-for-all.ts'

const ORIGIN = 'http://localhost:3000'

const registry = openForAll(() => openWithSignIn({ settings: { BASE_URL: ORIGIN } }))
let client_id: string

beforeAll(async () => {
  await registry.createKey('Acme')
  client_id = (await register(registry)).client_id!
})

/** Creates a person with a passkey. */
async function createPersonWithPasskey(counter = 0) {
  const user_id = randomUUID()
  const passkey = createPasskey(user_id)
  const email = `${user_id}@acme.example`
  const person = { provider: 'email', subject: email, email, email_verified: true, name: null }
  const key = { public_key: passkey.publicKey, counter, transports: [], label: 'A key' }
  await submit({ op: 'person.enter', user_id, ...person })
  await submit({ op: 'passkey.add', user_id, credential_id: passkey.id, ...key })
  return { user_id, passkey }
}

async function submit(operation: object): Promise<void> {
  const [answer] = await registry.submit(Operation.parse(operation))
  if (answer === undefined || 'refused' in answer) throw new Error(JSON.stringify(answer))
}

/** Begins a sign-in in a browser of its own, and reads the challenge of its page. */
async function begin() {
  const browser = new TestBrowser(registry)
  const url = buildAuthorizeUrl({ client_id, code_challenge: createVerifier().challenge })
  const at = new URL(String((await browser.get(url)).headers.location), ORIGIN).pathname
  return { browser, at, challenge: await readChallenge(browser, at) }
}

async function readChallenge(browser: TestBrowser, at: string): Promise<string> {
  const form = load((await browser.get(at)).body)('form[data-passkey=get]')
  return JSON.parse(form.attr('data-options')!).challenge
}

/** Sends an answer of an authenticator; true where it signs somebody in. */
async function send(browser: TestBrowser, at: string, credential: string): Promise<boolean> {
  const answer = await browser.post(`${at}/passkey`, { credential })
  expect([200, 400]).toContain(answer.statusCode)
  expect(answer.statusCode === 200).toBe(answer.headers.refresh !== undefined)
  return answer.statusCode === 200
}

const good = (challenge: string): AuthenticatorClaims => ({
  challenge,
  origin: ORIGIN,
  rpId: 'localhost',
})

describe('a passkey', () => {
  test('signs its person in, and nobody else', async () => {
    const { passkey } = await createPersonWithPasskey()
    const { browser, at, challenge } = await begin()
    expect(await send(browser, at, passkey.answer(good(challenge)))).toBe(true)
  })

  test.each<[string, Partial<AuthenticatorClaims>]>([
    ['for another origin', { origin: 'https://evil.example' }],
    ['for another port', { origin: 'http://localhost:4000' }],
    ['for another relying party', { rpId: 'evil.example' }],
    ['for a challenge that was never issued', { challenge: 'AAAA' }],
    ['without its person, who only has the device', { flags: 1 }],
    ['without anybody at the device', { flags: 0 }],
    ['as a registration', { type: 'webauthn.create' }],
    ['in the name of somebody else', { userHandle: randomUUID() }],
    ['in the name of nobody', { userHandle: '' }],
    ['in the name of a path', { userHandle: '../../x y' }],
  ])('does not sign in %s', async (_, said) => {
    const { passkey } = await createPersonWithPasskey()
    const { browser, at, challenge } = await begin()
    expect(await send(browser, at, passkey.answer({ ...good(challenge), ...said }))).toBe(false)
    const next = await readChallenge(browser, at)
    expect(await send(browser, at, passkey.answer(good(next)))).toBe(true)
  })

  test('of one person does not sign in as another', async () => {
    const [ann, bob] = [await createPersonWithPasskey(), await createPersonWithPasskey()]
    const { browser, at, challenge } = await begin()
    const answer = { ...good(challenge), userHandle: ann.user_id }
    expect(await send(browser, at, bob.passkey.answer(answer))).toBe(false)
  })

  test.each(['', '{}', '[]', 'null', '{"id":"x"}', `{"id":"${'x'.repeat(9_000)}","response":{}}`])(
    'is not %j',
    async credential => {
      const { browser, at } = await begin()
      expect(await send(browser, at, credential)).toBe(false)
    },
  )
})

describe('the challenge of a passkey', () => {
  test('can be answered once, also if the first answer was refused', async () => {
    const { passkey } = await createPersonWithPasskey()
    const { browser, at, challenge } = await begin()
    const wrong = passkey.answer({ ...good(challenge), origin: 'https://evil.example' })
    expect(await send(browser, at, wrong)).toBe(false)
    expect(await send(browser, at, passkey.answer(good(challenge)))).toBe(false)
  })

  test('can be answered once of ten concurrent answers', async () => {
    const { passkey } = await createPersonWithPasskey()
    const { browser, at, challenge } = await begin()
    const answers = Array.from({ length: 10 }, (_, i) =>
      browser.post(`${at}/passkey`, {
        credential: passkey.answer({ ...good(challenge), counter: i + 1 }),
      }),
    )
    const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode)
    expect(statuses.filter(status => status === 200)).toHaveLength(1)
  })

  test('of one sign-in is valid in no other, and in no other browser', async () => {
    const { passkey } = await createPersonWithPasskey()
    const [mine, other] = [await begin(), await begin()]
    const answer = passkey.answer(good(mine.challenge))
    expect(await send(other.browser, other.at, answer)).toBe(false)
    expect(await send(other.browser, mine.at, answer)).toBe(false)
    expect(await send(mine.browser, mine.at, answer)).toBe(true)
  })

  test('ends by itself', async () => {
    const { passkey } = await createPersonWithPasskey()
    const { browser, at, challenge } = await begin()
    registry.clock.tick({ minutes: 15, ms: 1_000 })
    expect(await send(browser, at, passkey.answer(good(challenge)))).toBe(false)
    const next = await readChallenge(browser, at)
    expect(await send(browser, at, passkey.answer(good(next)))).toBe(true)
  })
})

describe('the counter of a passkey', () => {
  const attempt = async (
    { passkey }: Awaited<ReturnType<typeof createPersonWithPasskey>>,
    counter: number,
  ) => {
    const { browser, at, challenge } = await begin()
    return send(browser, at, passkey.answer({ ...good(challenge), counter }))
  }

  test('must grow: a copy that is behind or level signs nobody in', async () => {
    const person = await createPersonWithPasskey(5)
    for (const counter of [0, 4, 5])
      expect([counter, await attempt(person, counter)]).toEqual([counter, false])
    expect(await attempt(person, 6)).toBe(true)
    expect(await attempt(person, 6)).toBe(false)
  })

  test('may stay at 0 for a passkey that never counts', async () => {
    const person = await createPersonWithPasskey()
    expect(await attempt(person, 0)).toBe(true)
    expect(await attempt(person, 0)).toBe(true)
  })

  test('is compared by the writer: of two sign-ins with the same count only the first succeeds', async () => {
    const { user_id, passkey } = await createPersonWithPasskey(1)
    const use = Operation.parse({
      op: 'passkey.use',
      user_id,
      credential_id: passkey.id,
      counter: 2,
    })
    const [first] = await registry.submit(use)
    const [second] = await registry.submit(use)
    expect([first, second]).toEqual([
      { done: { credential_id: passkey.id } },
      expect.objectContaining({ error: 'forbidden' }),
    ])
  })
})

test('a removed passkey signs nobody in, and its id is never registered again', async () => {
  const { user_id, passkey } = await createPersonWithPasskey()
  await submit({ op: 'passkey.remove', user_id, credential_id: passkey.id })
  const { browser, at, challenge } = await begin()
  expect(await send(browser, at, passkey.answer(good(challenge)))).toBe(false)
  const key = { public_key: passkey.publicKey, counter: 0, transports: [], label: 'Again' }
  const again = { op: 'passkey.add', user_id: randomUUID(), credential_id: passkey.id, ...key }
  expect((await registry.submit(Operation.parse(again)))[0]).toMatchObject({ error: 'conflict' })
})

test('a person has twenty passkeys at most', async () => {
  const { user_id } = await createPersonWithPasskey()
  const add = () => {
    const { id, publicKey } = createPasskey(user_id)
    const key = { public_key: publicKey, counter: 0, transports: [], label: 'One more' }
    return Operation.parse({ op: 'passkey.add', user_id, credential_id: id, ...key })
  }
  const answers = await registry.submit(...Array.from({ length: 20 }, add))
  expect(answers.filter(answer => 'refused' in answer)).toHaveLength(1)
})

test.each([
  ['127.0.0.1:3000', `${ORIGIN}/authorize`],
  ['localhost:3000', '/authorize'],
  ['127.0.0.1:8080', '/authorize'],
  ['elsewhere.example:3000', '/authorize'],
])('a sign-in at %s begins at %s, where its cookies are sent', async (host, expected) => {
  const { headers } = await registry.app.inject({ url: '/dashboard/sign-in', headers: { host } })
  expect(String(headers.location).split('?')[0]).toBe(expected)
})
