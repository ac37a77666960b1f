import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../../pipeline/core/config.ts'
import { countEdits } from '../../../../pipeline/core/edit-distance.ts'

describe('a variable that is meant as a setting is refused with the nearest one', () => {
  it.each([
    ['BASE_URI', 'BASE_URL'],
    ['BASEURL', 'BASE_URL'],
    ['base_url', 'BASE_URL'],
    ['base-url', 'BASE_URL'],
    ['PROT', 'PORT'],
    ['port', 'PORT'],
    ['DATADIR', 'DATA_DIR'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
    ['OPERATR_TOKEN', 'OPERATOR_TOKEN'],
    ['OPRATOR_PROT', 'OPERATOR_PORT'],
    ['CREDENTIAL_KEY', 'CREDENTIALS_KEY'],
    ['REGISTRY_SIGNING_KEY', 'REGISTRY_SIGNING_KEYS'],
    ['BRANDFETCH_API_KEY', 'BRANDFETCH_KEY'],
    ['CRAWL_SCHEDULED', 'CRAWL_SCHEDULE'],
    ['BRAKE_PUBLISHER_COUNT', 'BRAKE_PUBLISHERS'],
  ])('%s: %s', (name, nearest) => {
    expect(() => readConfig({ [name]: '1' })).toThrow(
      `${name} is not a setting; the nearest is ${nearest}.`,
    )
  })

  it.each(['CRAWL_FOO', 'CRAWL_PARALLELISM'])('%s has no near one', name => {
    expect(() => readConfig({ [name]: '1' })).toThrow(`${name} is not a setting.`)
  })

  it('and an empty one is none', () => {
    expect(readConfig({ BASE_URI: '' })).toMatchObject({ PORT: 3000 })
  })
})

describe('a variable of another program is left alone', () => {
  it.each([
    ['PATH', '/usr/bin'],
    ['POST', '1'],
    ['HOSTS', 'a b'],
    ['HOSTNAME', 'web-1'],
    ['HTTP_URL', 'http://127.0.0.1'],
    ['AGENT_HOST', '127.0.0.1'],
    ['AGENT_NAME', 'builder'],
    ['AUTH0_CLIENT_ID', 'x'],
    ['AWS_CLIENT_ID', 'x'],
    ['AWS_ACCESS_KEY_ID', 'x'],
    ['DOMAINS', './domains.txt'],
    ['COMPOSE_PROJECT_NAME', 'registry'],
    ['OTEL_TRACES_SAMPLER', 'always_on'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'http://127.0.0.1'],
    ['XDG_DATA_DIRS', '/usr/share'],
    ['npm_config_loglevel', 'warn'],
    // Kubernetes adds these for services called redis, agents and crawl.
    ['REDIS_PORT', 'tcp://10.0.0.1:6379'],
    ['AGENTS_PORT', 'tcp://10.0.0.1:80'],
    ['CRAWL_PORT', 'tcp://10.0.0.1:80'],
    ['CRAWL_SERVICE_HOST', '10.0.0.1'],
    ['CRAWL_SERVICE_PORT_HTTP', '80'],
    ['CRAWL_PORT_80_TCP_ADDR', '10.0.0.1'],
  ])('%s', (name, value) => {
    expect(readConfig({ [name]: value })).toMatchObject({ PORT: 3000 })
  })
})

describe('edits are counted', () => {
  it.each([
    ['', 'ABC', 3],
    ['ABC', 'ABC', 0],
    ['ABC', 'ACB', 1],
    ['KITTEN', 'SITTING', 3],
    ['PORT', 'SPROT', 2],
  ])('from %j to %j: %i', (a, b, edits) => {
    expect(countEdits(a, b)).toBe(edits)
    expect(countEdits(b, a)).toBe(edits)
  })
})
