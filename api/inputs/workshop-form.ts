import { parsePastedDomain } from '../../pipeline/core/domain.ts'
import { refuse } from '../../pipeline/core/errors.ts'
import { describeChoices } from '../../pipeline/core/validation-messages.ts'
import { type ProposedKind, proposedKinds } from '../../pipeline/model/proposed-kind.ts'
import { isUploaded, parseForm, readField, readSentText, type SentText } from './form-data.ts'

/** A file that somebody sent to be checked. */
export interface WorkshopForm extends SentText {
  kind: ProposedKind
  /** The domain that will serve it, as it was written; empty where none was named. */
  domain: string
  /** True if somebody uploaded a file without content, and pasted none. */
  isEmptyUpload: boolean
  isDownload: boolean
  /** True to start from an example. */
  isExample: boolean
  /** True to carry the file on to the dashboard. */
  isPublishing: boolean
}

/** Reads the form of the page on which files are checked; an uploaded file goes before the text. */
export async function readWorkshopForm(body: Buffer, contentType: string): Promise<WorkshopForm> {
  const form = await parseForm(body, contentType)
  const read = (name: string) => readField(form, name)
  const kind = proposedKinds.find(known => known === (read('as') || read('kind')))
  if (kind === undefined) refuse('invalid_request', `kind: ${describeChoices(proposedKinds)}`)
  const sent = await readSentText(form)
  return {
    kind,
    domain: read('domain').trim().slice(0, 300),
    ...sent,
    isEmptyUpload: sent.text === '' && isUploaded(form),
    isDownload: read('do') === 'download',
    isExample: read('do') === 'example',
    isPublishing: read('do') === 'publish',
  }
}

/** Parses the domain of a form; undefined where it is empty or none. */
export function parseFormDomain(text: string) {
  return text === '' ? undefined : parsePastedDomain(text)
}
