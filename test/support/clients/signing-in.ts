import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from 'cheerio'
import type { LightMyRequestResponse } from 'fastify'
import { openRegistry, type RegistryOptions, type TestRegistry } from '../registry/app.ts'

/** Redirect URI of an application on the person's own machine. */
export const CALLBACK = 'http://127.0.0.1:7777/callback'
export const BASE = 'http://127.0.0.1:3000'

export interface SignInRegistry extends TestRegistry {
  /** Sign-in links, as the terminal shows them to an operator in development. */
  links: string[]
  /** Base URL of the registry. */
  origin: string
}

/**
 * Opens a registry that signs people in, on the operator's own machine. It has a Redis of its own unless it is
 * given one.
 */
export async function openWithSignIn(
  options: RegistryOptions = {},
  keys: readonly object[] = [createKey()],
): Promise<SignInRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-keys-'))
  const links: string[] = []
  const printNotice = (text: string) => {
    const [, url] = /^To sign in as .+:\n(\S+)$/.exec(text) ?? []
    if (url !== undefined) links.push(url)
  }
  const settings = {
    BASE_URL: BASE,
    REGISTRY_SIGNING_KEYS: writeKeys(folder, keys),
    ...options.settings,
  }
  const registry: TestRegistry = await openRegistry({
    ownRedis: options.redis === undefined,
    printNotice,
    ...options,
    settings,
  })
  const { close } = registry
  return Object.assign(registry, {
    links,
    origin: settings.BASE_URL || BASE,
    async close() {
      await close()
      rmSync(folder, { recursive: true })
    },
  })
}

/** Creates a signing key of a registry, from which the others are derived. */
export function createKey(): object {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
}

function writeKeys(folder: string, keys: readonly object[]): string {
  const path = join(folder, 'keys.json')
  writeFileSync(path, JSON.stringify({ keys }))
  return path
}

type Form = Record<string, string>

/** A browser without a screen: it stores cookies by their paths, and follows no redirect by itself. */
export class TestBrowser {
  /** Base URL of the registry. */
  readonly origin: string
  readonly #registry: TestRegistry
  /** By name and path. */
  readonly #cookies = new Map<string, { name: string; value: string; path: string }>()

  constructor(registry: TestRegistry & { origin?: string }) {
    this.origin = registry.origin ?? BASE
    this.#registry = registry
  }

  get(url: string, headers: Form = {}): Promise<LightMyRequestResponse> {
    return this.#send('GET', url, undefined, headers)
  }

  post(url: string, form: Form, headers: Form = {}): Promise<LightMyRequestResponse> {
    return this.#send('POST', url, form, headers)
  }

  /** Returns the value of a cookie. */
  getCookie(name: string): string | undefined {
    return [...this.#cookies.values()].findLast(cookie => cookie.name === name)?.value
  }

  setCookie(name: string, value: string, path = '/'): void {
    this.#cookies.set(`${name} ${path}`, { name, value, path })
  }

  async #send(method: 'GET' | 'POST', url: string, form: Form | undefined, more: Form) {
    const { pathname, search } = new URL(url, BASE)
    const cookie = [...this.#cookies.values()]
      .filter(({ path }) => pathname === path || pathname.startsWith(path.replace(/\/?$/, '/')))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const answer = await this.#registry.app.inject({
      method,
      url: pathname + search,
      headers: {
        accept: 'text/html',
        ...(cookie && { cookie }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...more,
      },
      ...(form && { payload: new URLSearchParams(form).toString() }),
    })
    for (const { name, value, path = '/', expires } of answer.cookies) {
      const isEnded = value === '' || (expires !== undefined && expires.getTime() < Date.now())
      if (isEnded) this.#cookies.delete(`${name} ${path}`)
      else this.setCookie(name, value, path)
    }
    return answer
  }
}

export function createVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Registers an application and returns its id. */
export async function register(
  { app }: Pick<TestRegistry, 'app'>,
  metadata: object = {},
): Promise<Record<string, string>> {
  const payload = { client_name: 'Planner', redirect_uris: [CALLBACK], ...metadata }
  const answer = await app.inject({ method: 'POST', url: '/register', payload })
  return answer.json()
}

/** Builds the address at which an application sends its person in. */
export function buildAuthorizeUrl(query: Record<string, string | undefined>): string {
  const known = Object.entries({
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid profile email',
    code_challenge_method: 'S256',
    state: 'xyz',
    ...query,
  }).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `/authorize?${new URLSearchParams(known)}`
}

/** Follows redirects, and pages that lead on, as long as they stay on the registry. */
export async function follow(
  browser: TestBrowser,
  answer: LightMyRequestResponse,
): Promise<LightMyRequestResponse & { at?: string }> {
  let last = answer
  for (let steps = 0; steps < 10; steps++) {
    const refresh = /url=(.*)$/.exec(String(last.headers.refresh ?? ''))?.[1]
    const next = (last.headers.location as string | undefined) ?? refresh
    if (next === undefined) return last
    if (new URL(next, browser.origin).origin !== browser.origin)
      return Object.assign(last, { at: next })
    last = Object.assign(await browser.get(next), { at: next })
  }
  throw new Error('led around in circles')
}

/** Signs a person in by the link that they are sent, up to the page on which they consent. */
export async function signIn(
  registry: SignInRegistry,
  browser: TestBrowser,
  url: string,
  email: string,
): Promise<string> {
  const asked = await follow(browser, await browser.get(url))
  await browser.post(`${asked.at}/link`, { email })
  const link = registry.links.at(-1)!
  const token = new URL(link).searchParams.get('token')!
  const opened = await browser.post(new URL(link).pathname, { token })
  return (await follow(browser, opened)).at!
}

/** Signs a person in at the dashboard, in a browser of their own. */
export async function enterDashboard(
  registry: SignInRegistry,
  email: string,
): Promise<TestBrowser> {
  const browser = new TestBrowser(registry)
  const at = await signIn(registry, browser, '/dashboard', email)
  if (new URL(at, BASE).pathname !== '/dashboard') throw new Error(`led to ${at}`)
  return browser
}

/** Sends a form of the dashboard as its page would. */
export async function sendForm(browser: TestBrowser, url: string, form: Form) {
  const page = load((await browser.get('/dashboard')).body)
  const form_token = String(page('input[name=form_token]').first().val())
  return browser.post(url, { form_token, ...form }, { 'sec-fetch-site': 'same-origin' })
}

/** Publishes a file on the dashboard after its preview, as its page would. */
export async function publishPreviewed(browser: TestBrowser, form: Form) {
  const shown = await sendForm(browser, '/dashboard/publish', form)
  const page = load(shown.body)
  const [previewed, compared] = ['previewed', 'compared'].map(name =>
    page(`input[name=${name}]`).val(),
  )
  if (previewed === undefined) return shown
  const reviewed = { previewed: String(previewed), compared: String(compared) }
  return sendForm(browser, '/dashboard/publish', { ...form, ...reviewed })
}

/** Signs a person in, gives consent, and returns the address that the application gets. */
export async function authorize(
  registry: SignInRegistry,
  query: Record<string, string | undefined>,
  email = 'ann@acme.example',
  browser = new TestBrowser(registry),
): Promise<URL> {
  const consent = await signIn(registry, browser, buildAuthorizeUrl(query), email)
  const done = await follow(browser, await browser.post(`${consent}/consent`, {}))
  return new URL(done.at!)
}

/** Sends a request to the token endpoint. */
export async function askToken(
  { app }: Pick<TestRegistry, 'app'>,
  form: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const answer = await app.inject({
    method: 'POST',
    url: '/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(form).toString(),
  })
  return { status: answer.statusCode, ...answer.json() }
}

/** Registers an application, signs a person in, and returns the tokens. */
export async function obtainTokens(registry: SignInRegistry, email?: string) {
  const { client_id } = await register(registry)
  const { verifier, challenge } = createVerifier()
  const back = await authorize(registry, { client_id, code_challenge: challenge }, email)
  const code = back.searchParams.get('code')!
  const grant_type = 'authorization_code'
  const form = {
    grant_type,
    code,
    redirect_uri: CALLBACK,
    client_id: client_id!,
    code_verifier: verifier,
  }
  return { ...(await askToken(registry, form)), client_id: client_id!, form }
}
