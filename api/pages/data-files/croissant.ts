import type { FastifyReply } from 'fastify'
import { type DataFile, listLatestFiles } from '../../../pipeline/read/lookups/data-files.ts'
import {
  type ColumnDescription,
  describeTables,
  type TableDescription,
} from '../../../pipeline/read/queries/table-descriptions.ts'
import type { Services } from '../../operation/services.ts'
import { buildAbsence, CROISSANT_PATH, PARQUET, toFileName, toReleasePath } from './data-routes.ts'

export const DESCRIPTION =
  'Everything public in the registry as Parquet files, at addresses that stay.'

const CROISSANT = 'http://mlcommons.org/croissant/'
/** Context of Croissant 1.0, as its specification prints it. */
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
  const described = await describeTables(reader.snapshot, new Set(files.map(({ table }) => table)))
  const card = { origin: baseUrl(), license: config.DATA_LICENSE, files }
  return reply
    .header('cache-control', 'public, no-cache')
    .type('application/ld+json')
    .send(JSON.stringify(buildCroissant(card, described)))
}

/** Describes the data set for search engines, and says where the whole description is. */
export function buildSummary({ origin, license, files }: DataSetCard) {
  const [first] = files
  return {
    '@context': 'https://schema.org/',
    '@type': 'Dataset',
    name: 'agentic-ad-registry',
    description: DESCRIPTION,
    url: `${origin}/data`,
    ...(license !== undefined && { license }),
    version: first?.day,
    datePublished: first?.day,
    distribution: {
      '@type': 'DataDownload',
      name: 'Croissant description of all files',
      encodingFormat: 'application/ld+json',
      contentUrl: origin + CROISSANT_PATH,
    },
  }
}

/** Describes a release as a Croissant data set: its files, and the columns of tables that are one file each. */
function buildCroissant(
  { origin, license, files }: DataSetCard,
  described: ReadonlyMap<string, TableDescription>,
) {
  const [first] = files
  return {
    '@context': context,
    '@type': 'sc:Dataset',
    conformsTo: `${CROISSANT}1.0`,
    name: 'agentic-ad-registry',
    description: DESCRIPTION,
    url: `${origin}/data`,
    ...(license !== undefined && { license }),
    version: first?.day,
    datePublished: first?.day,
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
