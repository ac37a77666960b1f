import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

interface Closable {
  close(): Promise<void> | void
}

/**
 * Opens something before the tests of a file or group and closes it after them: what is opened first is closed
 * last. Until then the object that it returns has no members.
 */
export function openForAll<Opened extends Closable>(open: () => Promise<Opened>): Opened {
  return buildDelegate(open, beforeAll, afterAll)
}

/** Opens something before each test of a file or group and closes it after that test. */
export function openForEach<Opened extends Closable>(open: () => Promise<Opened>): Opened {
  return buildDelegate(open, beforeEach, afterEach)
}

/** Builds an object that has the members of what is open at the time. */
function buildDelegate<Opened extends Closable>(
  open: () => Promise<Opened>,
  before: (run: () => Promise<void>) => void,
  after: (run: () => Promise<void>) => void,
): Opened {
  let opened: Opened | undefined
  before(async () => {
    opened = await open()
  })
  after(async () => {
    await opened?.close()
    opened = undefined
  })
  const require = () => {
    if (opened === undefined) throw new Error('it is open only while the tests of the file run')
    return opened
  }
  return new Proxy({} as Opened, {
    get: (_, name) => Reflect.get(require(), name),
    set: (_, name, value) => Reflect.set(require(), name, value),
    has: (_, name) => Reflect.has(require(), name),
    ownKeys: () => Reflect.ownKeys(require()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(require(), name),
  })
}
