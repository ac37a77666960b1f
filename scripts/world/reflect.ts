/**
 * Minimal Reflect metadata API: the certificate library queries it for its own classes while it
 * loads, and refuses to load without it. Nothing is stored there, so undefined is always the right
 * answer; an implementation that is already present is kept.
 */
const metadata = {
  getMetadata: () => undefined,
  getOwnMetadata: () => undefined,
  defineMetadata: () => undefined,
}

for (const [name, answer] of Object.entries(metadata)) {
  if (!(name in Reflect)) Object.assign(Reflect, { [name]: answer })
}
