/**
 * The certificate library asks the Reflect metadata API about its own classes while it loads and refuses
 * to load without it. It stores nothing there, so "nothing is known" is the whole answer; a real
 * implementation that is already present stays.
 */
const metadata = {
  getMetadata: () => undefined,
  getOwnMetadata: () => undefined,
  defineMetadata: () => undefined,
}

for (const [name, answer] of Object.entries(metadata)) {
  if (!(name in Reflect)) Object.assign(Reflect, { [name]: answer })
}
