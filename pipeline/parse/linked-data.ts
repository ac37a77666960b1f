import { Faults } from './faults.ts'
import { isObject, type JsonObject } from './object-reader.ts'
import { readJson } from './read-json.ts'

const NODES_MAX = 200
const NESTING_MAX = 4
const COMPANY = /(?:Organization|Corporation|Brand|Business|Store|Airline)$/
const SITE = /^(?:https?:\/\/schema\.org\/)?WebSite$/

/** Linked data of a page about its publisher. */
export interface LinkedData {
  company?: JsonObject
  site?: JsonObject
}

/** Reads the texts of a page's `application/ld+json` scripts; one that is not JSON is skipped. */
export function readLinkedData(scripts: readonly string[]): LinkedData {
  const nodes: JsonObject[] = []
  for (const script of scripts) {
    // In an object, the text may be a list as well.
    const read = readJson(Buffer.from(`{"@graph":${script}\n}`), new Faults(1))
    if (read.outcome === 'ok') collect(read.root, nodes, 0)
  }
  const company = nodes.find(node => readTypes(node).some(type => COMPANY.test(type)))
  const site = nodes.find(node => readTypes(node).some(type => SITE.test(type)))
  return { ...(company && { company }), ...(site && { site }) }
}

function collect(value: unknown, nodes: JsonObject[], level: number): void {
  if (level > NESTING_MAX || nodes.length >= NODES_MAX) return
  if (Array.isArray(value)) for (const item of value) collect(item, nodes, level)
  if (!isObject(value)) return
  nodes.push(value)
  for (const key of ['@graph', 'publisher']) {
    collect(value[key], nodes, level + 1)
  }
}

function readTypes(node: JsonObject): string[] {
  const type = node['@type']
  return (Array.isArray(type) ? type : [type]).filter(name => typeof name === 'string')
}

/** Reads the texts of a value that is one text, several, or an object with a name. */
export function readTexts(value: unknown, key = 'name'): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.slice(0, NODES_MAX).flatMap(item => listTexts(item, key))
  return listTexts(value, key)
}

function listTexts(value: unknown, key: string): string[] {
  if (typeof value === 'string') return [value]
  if (!isObject(value)) return []
  const text = value[key] ?? value['@value']
  return typeof text === 'string' ? [text] : []
}
