import type { ExampleRequest } from './examples.ts'

/** A request as code, in the form that references of OpenAPI descriptions show. */
export interface CodeSample {
  lang: 'Shell' | 'TypeScript' | 'Python'
  label: string
  source: string
}

/** The request of a sample, with its server and the form of its answer. */
interface SampledRequest extends ExampleRequest {
  method: string
  address: string
  answers: AnswerForm
  /** Environment variable with the key or the token. */
  credential: string
}

/** Form of an answer: JSON, lines that are always compressed, other text, a stream without an end, or no body. */
export type AnswerForm = 'json' | 'lines' | 'text' | 'stream' | 'nothing'

/**
 * Writes a request as calls that run as they are: they need only curl, the `fetch` of the language or the
 * standard library of Python. The credential is read from an environment variable: `REGISTRY_KEY`, or
 * `REGISTRY_USER_TOKEN` where a key is refused.
 */
export function renderCodeSamples(
  method: string,
  baseUrl: string,
  request: ExampleRequest,
  { answers, isForPeople }: { answers: AnswerForm; isForPeople: boolean },
): CodeSample[] {
  const credential = isForPeople ? 'REGISTRY_USER_TOKEN' : 'REGISTRY_KEY'
  const sampled = { ...request, method, address: baseUrl + request.url, answers, credential }
  return [
    { lang: 'Shell', label: 'curl', source: renderCurl(sampled) },
    { lang: 'TypeScript', label: 'TypeScript', source: renderTypeScript(sampled) },
    { lang: 'Python', label: 'Python', source: renderPython(sampled) },
  ]
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** Lists the headers without the credential, which each language reads in its own way. */
function listHeaders({ headers, body }: SampledRequest): [string, string][] {
  return Object.entries({ ...(body !== undefined && JSON_TYPE), ...headers })
}

function renderCurl(sampled: SampledRequest): string {
  const { method, address, authorized, credential, body, text, file, answers } = sampled
  const hasBody = body !== undefined || text !== undefined || file !== undefined
  const defaultMethod = hasBody ? 'POST' : 'GET'
  const sent = body === undefined ? text : JSON.stringify(body)
  const parts = [
    `curl${curlOptions[answers]}${method === defaultMethod ? '' : ` -X ${method}`} ${quoteShell(address)}`,
    ...(authorized ? [`-H "authorization: Bearer $${credential}"`] : []),
    ...listHeaders(sampled).map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`),
    ...(sent === undefined ? [] : [`--data-raw ${quoteShell(sent)}`]),
    ...(file === undefined ? [] : [`-F ${quoteShell(`file=@${file.name};type=${file.type}`)}`]),
  ]
  return parts.join(' \\\n  ')
}

const curlOptions: Readonly<Record<AnswerForm, string>> = {
  json: '',
  lines: ' --compressed',
  text: '',
  stream: ' -N',
  nothing: '',
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function renderTypeScript(sampled: SampledRequest): string {
  const { method, address, authorized, credential, body, text, file } = sampled
  const headers = [
    ...(authorized ? [`    authorization: \`Bearer \${process.env.${credential}}\`,`] : []),
    ...listHeaders(sampled).map(
      ([name, value]) => `    ${/^\w+$/.test(name) ? name : quote(name)}: ${quote(value)},`,
    ),
  ]
  const sent = [
    ...(body === undefined
      ? []
      : [`JSON.stringify(${formatNested(JSON.stringify(body, null, 2))})`]),
    ...(text === undefined ? [] : [quote(text)]),
    ...(file === undefined ? [] : ['form']),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${quote(method)},`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...sent.map(content => `  body: ${content},`),
  ]
  return [
    ...(file === undefined ? [] : buildForm(file)),
    options.length === 0
      ? `const response = await fetch(${quote(address)})`
      : [`const response = await fetch(${quote(address)}, {`, ...options, '})'].join('\n'),
    ...printTypeScript[sampled.answers],
  ].join('\n')
}

function buildForm({ name, type }: NonNullable<ExampleRequest['file']>): string[] {
  return [
    "import { readFile } from 'node:fs/promises'",
    '',
    'const form = new FormData()',
    `const file = new Blob([await readFile(${quote(name)})], { type: ${quote(type)} })`,
    `form.set('file', file, ${quote(name)})`,
  ]
}

const printTypeScript: Readonly<Record<AnswerForm, readonly string[]>> = {
  json: ['console.log(response.status, await response.json())'],
  lines: ['console.log(response.status, await response.text())'],
  text: ['console.log(response.status, await response.text())'],
  stream: [
    'for await (const lines of response.body!.pipeThrough(new TextDecoderStream())) {',
    '  console.log(lines)',
    '}',
  ],
  nothing: ['console.log(response.status)'],
}

function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** Formats a JSON text for its place in a call: the lines after the first are indented by one step. */
function formatNested(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

function renderPython(sampled: SampledRequest): string {
  const { method, address, authorized, credential, body, text, file, answers } = sampled
  const headers = [
    ...(authorized ? [`        "authorization": f"Bearer {os.environ['${credential}']}",`] : []),
    ...(file === undefined
      ? []
      : ['        "content-type": f"multipart/form-data; boundary={boundary}",']),
    ...listHeaders(sampled).map(
      ([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
    ),
  ]
  const sent = [
    ...(body === undefined ? [] : [`json.dumps(${toPython(body, '    ')}).encode()`]),
    ...(text === undefined ? [] : [`${JSON.stringify(text)}.encode()`]),
    ...(file === undefined ? [] : ['form']),
  ]
  const needs = [
    ...(answers === 'lines' ? ['gzip'] : []),
    ...(body !== undefined || answers === 'json' ? ['json'] : []),
    ...(authorized ? ['os'] : []),
    'urllib.request',
    ...(file === undefined ? [] : ['uuid']),
  ]
  return [
    `import ${needs.join(', ')}`,
    '',
    ...(file === undefined ? [] : buildPythonForm(file)),
    'request = urllib.request.Request(',
    `    ${JSON.stringify(address)},`,
    ...(method === 'GET' ? [] : [`    method=${JSON.stringify(method)},`]),
    ...(headers.length === 0 ? [] : ['    headers={', ...headers, '    },']),
    ...sent.map(content => `    data=${content},`),
    ')',
    'with urllib.request.urlopen(request) as response:',
    ...printPython[answers],
  ].join('\n')
}

function buildPythonForm({ name, type }: NonNullable<ExampleRequest['file']>): string[] {
  return [
    'boundary = uuid.uuid4().hex',
    `with open(${JSON.stringify(name)}, "rb") as file:`,
    '    form = b"\\r\\n".join([',
    '        f"--{boundary}".encode(),',
    `        b'content-disposition: form-data; name="file"; filename="${name}"',`,
    `        b"content-type: ${type}",`,
    '        b"",',
    '        file.read(),',
    '        f"--{boundary}--".encode(),',
    '        b"",',
    '    ])',
    '',
  ]
}

const printPython: Readonly<Record<AnswerForm, readonly string[]>> = {
  json: ['    print(response.status, json.load(response))'],
  lines: ['    print(response.status, gzip.decompress(response.read()).decode())'],
  text: ['    print(response.status, response.read().decode())'],
  stream: ['    for line in response:', '        print(line.decode(), end="")'],
  nothing: ['    print(response.status)'],
}

/** Converts JSON to a Python literal; `margin` is the indentation of its last line. */
function toPython(value: unknown, margin: string): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${margin}    `
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const items = Array.isArray(value)
    ? value.map(item => toPython(item, inner))
    : Object.entries(value).map(
        ([name, item]) => `${JSON.stringify(name)}: ${toPython(item, inner)}`,
      )
  if (items.length === 0) return `${open}${close}`
  return `${open}\n${items.map(item => `${inner}${item},\n`).join('')}${margin}${close}`
}
