import type { FastifyReply } from 'fastify'
import { type DataFile, listLatestFiles } from '../../../pipeline/read/lookups/data-files.ts'
import {
  type ColumnDescription,
  describeTables,
  readSchemaVersion,
  type TableDescription,
} from '../../../pipeline/read/queries/table-descriptions.ts'
import type { Services } from '../../operation/services.ts'
import { buildAbsence, CROISSANT_PATH, PARQUET, toFileName, toReleasePath } from './data-routes.ts'

export const DESCRIPTION = 'Everything public in the registry as Parquet files, at stable URLs.'

const CROISSANT = 'http://mlcommons.org/croissant/'
/** The terms of Croissant 1.0 that are used here, as its specification defines them. */
const context = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  citeAs: 'cr:citeAs',
  column: 'cr:column',
  conformsTo: 'dct:conformsTo',
  cr: CROISSANT,
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  extract: 'cr:extract',
  field: 'cr:field',
  fileObject: 'cr:fileObject',
  isLiveDataset: 'cr:isLiveDataset',
  key: 'cr:key',
  recordSet: 'cr:recordSet',
  repeated: 'cr:repeated',
  sc: 'https://schema.org/',
  source: 'cr:source',
}

const dataTypes: [RegExp, string][] = [
  [/^BOOLEAN/, 'sc:Boolean'],
  [/^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT|U?INTEGER)/, 'sc:Integer'],
  [/^(?:DOUBLE|FLOAT)/, 'sc:Float'],
  [/^TIMESTAMP/, 'sc:DateTime'],
  [/^DATE/, 'sc:Date'],
]

/** The data set and its latest release. */
interface DataSetCard {
  /** Address of the registry. */
  origin: string
  /** An address, or an id of the SPDX list of licenses. */
  license: string | undefined
  files: readonly DataFile[]
}

/** Sends the description of the latest release as a Croissant data set. */
export async function sendCroissant(
  reply: FastifyReply,
  { reader, config, baseUrl }: Pick<Services, 'reader' | 'config' | 'baseUrl'>,
) {
  const files = listLatestFiles(reader)
  if (files.length === 0 || reader.snapshot === undefined) throw buildAbsence()
  const described = await describeTables(reader.snapshot)
  const version = await readSchemaVersion(reader.snapshot)
  const card = { origin: baseUrl(), license: config.DATA_LICENSE, files }
  return reply
    .header('cache-control', 'public, no-cache')
    .type('application/ld+json')
    .send(JSON.stringify(buildCroissant(card, described, version)))
}

/** Describes the data set for search engines, and says where the whole description is. */
export function buildSummary(card: DataSetCard) {
  return {
    '@context': 'https://schema.org/',
    '@type': 'Dataset',
    ...buildFacts(card),
    distribution: {
      '@type': 'DataDownload',
      name: 'Croissant description of all files',
      encodingFormat: 'application/ld+json',
      contentUrl: card.origin + CROISSANT_PATH,
    },
  }
}

function buildFacts({ origin, license, files: [first] }: DataSetCard) {
  const isAddress = license?.includes('://')
  return {
    name: 'agentic-ad-registry',
    description: DESCRIPTION,
    url: `${origin}/data`,
    creator: { '@type': 'Organization', name: new URL(origin).host, url: origin },
    ...(license && { license: isAddress ? license : `https://spdx.org/licenses/${license}` }),
    datePublished: first?.day,
    dateModified: first?.as_of,
  }
}

/**
 * Describes a release as a Croissant data set: its files, and the columns of tables that are one file each. The version
 * is that of the tables, as it is for data that is published again and again.
 */
function buildCroissant(
  card: DataSetCard,
  described: ReadonlyMap<string, TableDescription>,
  version = 0,
) {
  const { origin, files } = card
  return {
    '@context': context,
    '@type': 'sc:Dataset',
    conformsTo: `${CROISSANT}1.0`,
    ...buildFacts(card),
    version: `${version}.0.0`,
    isLiveDataset: true,
    distribution: files.map(file => ({
      '@type': 'cr:FileObject',
      '@id': toFileName(file),
      name: toFileName(file),
      contentUrl: `${origin}${toReleasePath(file)}`,
      contentSize: `${file.bytes} B`,
      encodingFormat: PARQUET,
      sha256: file.sha256,
    })),
    recordSet: files.flatMap(file => {
      const table = file.part === undefined ? described.get(file.table) : undefined
      return table === undefined ? [] : buildRecordSet(table, toFileName(file))
    }),
  }
}

function buildRecordSet({ name, comment, columns }: TableDescription, file: string) {
  return {
    '@type': 'cr:RecordSet',
    '@id': name,
    name,
    description: comment,
    field: columns.map(column => buildField(name, column, file)),
  }
}

function buildField(table: string, { name, type, comment }: ColumnDescription, file: string) {
  const dataType = dataTypes.find(([pattern]) => pattern.test(type))?.[1] ?? 'sc:Text'
  return {
    '@type': 'cr:Field',
    '@id': `${table}/${name}`,
    name: `${table}/${name}`,
    description: comment,
    dataType,
    ...(type.endsWith('[]') && { repeated: true }),
    source: { fileObject: { '@id': file }, extract: { column: name } },
  }
}
