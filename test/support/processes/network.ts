import { execFileSync, spawnSync } from 'node:child_process'
import { isRunning } from './processes.ts'

const PREFIX = 'agr'
const BRIDGE = 'bridge'
const INTERFACE = 'eth0'
let networksMade = 0

/** A host of a test's network. */
export interface NetworkHost {
  /** IPv4 address at which the other hosts, and the test itself, reach it. */
  address: string
  /** Arguments that run the command after them on this host, as `Command` takes them. */
  through: string[]
  /** Cuts the link: nothing comes or goes, and nobody is notified. */
  cut(): void
  heal(): void
  /** Drops this percentage (below 100) of the packets in both directions; 0 stops it. */
  lose(percent: number): void
}

/**
 * Finds the reason why no separate hosts can be made here; undefined where they can. Only missing rights
 * or a program that is not installed are reasons: where all is there and fails, it throws.
 */
export function findNetworkProblem(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may make hosts'
  const missing = ['ip', 'nft'].find(program => !isInstalled(program))
  if (missing !== undefined) return `${missing} is not installed`
  try {
    const network = new TestNetwork()
    try {
      network.addHost().lose(1)
    } finally {
      network.close()
    }
    return undefined
  } catch (cause) {
    if (/not permitted|denied/i.test(String(cause))) return 'this container may not make hosts'
    throw new Error('the hosts of a test cannot be made; a container needs --privileged', {
      cause,
    })
  }
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['-V']).error === undefined
}

/**
 * Hosts on one wire, each a network namespace of its own, which the kernel keeps apart as it does two
 * machines; files they share. The test is a host too, at `address`. Needs root, iproute2 and nftables.
 */
export class TestNetwork {
  readonly #name: string
  readonly #subnet: string
  readonly #hosts: string[] = []

  constructor() {
    removeAbandoned()
    const number = networksMade++
    this.#name = `${PREFIX}-${process.pid}-${number}`
    this.#subnet = findSubnet(process.pid + number)
    const own = `${PREFIX}${process.pid}x${number}`
    run('ip', 'netns', 'add', this.#switch)
    try {
      this.#atSwitch('ip', 'link', 'add', BRIDGE, 'type', 'bridge')
      this.#atSwitch('ip', 'link', 'set', BRIDGE, 'up')
      run('ip', 'link', 'add', own, 'type', 'veth', 'peer', 'name', 'test', 'netns', this.#switch)
      this.#plugIn('test')
      run('ip', 'address', 'add', `${this.address}/24`, 'dev', own)
      run('ip', 'link', 'set', own, 'up')
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Returns the address of the test itself. */
  get address(): string {
    return `${this.#subnet}.1`
  }

  /** Adds a host with an address of its own, which reaches all others. */
  addHost(): NetworkHost {
    const number = this.#hosts.length + 2
    const name = `${this.#name}-${number}`
    const port = `port${number}`
    const address = `${this.#subnet}.${number}`
    this.#hosts.push(name)
    const through = ['ip', 'netns', 'exec', name]
    const here = (...words: string[]) => run(...through, ...words)
    run('ip', 'netns', 'add', name)
    here('ip', 'link', 'set', 'lo', 'up')
    here(
      'ip',
      'link',
      'add',
      INTERFACE,
      'type',
      'veth',
      'peer',
      'name',
      port,
      'netns',
      this.#switch,
    )
    this.#plugIn(port)
    here('ip', 'address', 'add', `${address}/24`, 'dev', INTERFACE)
    here('ip', 'link', 'set', INTERFACE, 'up')
    return {
      address,
      through,
      cut: () => this.#atSwitch('ip', 'link', 'set', port, 'down'),
      heal: () => this.#atSwitch('ip', 'link', 'set', port, 'up'),
      lose: percent => {
        here('nft', writeLoss(INTERFACE, percent))
        this.#atSwitch('nft', writeLoss(port, percent))
      },
    }
  }

  /** Removes all hosts. Processes on them are the caller's to end before. */
  close(): void {
    for (const name of [...this.#hosts, this.#switch]) run('ip', 'netns', 'delete', name)
  }

  get #switch(): string {
    return `${this.#name}-switch`
  }

  #atSwitch(...words: string[]): void {
    run('ip', 'netns', 'exec', this.#switch, ...words)
  }

  #plugIn(port: string): void {
    this.#atSwitch('ip', 'link', 'set', port, 'master', BRIDGE, 'up')
  }
}

/** Drops packets as they arrive at an interface: those that are sent are those that arrive at the other end. */
function writeLoss(device: string, percent: number): string {
  const table = `netdev loss-${device}`
  const begin = `add table ${table}; delete table ${table};`
  if (percent === 0) return begin
  const hook = `type filter hook ingress device "${device}" priority 0;`
  return `${begin} table ${table} { chain arriving { ${hook} numgen random mod 100 < ${percent} drop; }; }`
}

/**
 * Finds the first three bytes of a subnet in the range reserved for such tests that this machine does
 * not use.
 */
function findSubnet(start: number): string {
  const used = run('ip', '-4', '-oneline', 'address')
  for (let n = 0; n < 512; n++) {
    const place = (start + n) % 512
    const subnet = `198.${18 + Math.floor(place / 256)}.${place % 256}`
    if (!used.includes(` ${subnet}.`)) return subnet
  }
  throw new Error('all addresses for tests of networks are in use')
}

/** Removes what tests have left whose process was killed. */
function removeAbandoned(): void {
  for (const [name, pid] of run('ip', 'netns', 'list').matchAll(/^agr-(\d+)-\S+/gm))
    if (!isRunning(Number(pid))) run('ip', 'netns', 'delete', name)
}

function run(...words: string[]): string {
  const [program, ...args] = words
  return execFileSync(program!, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
