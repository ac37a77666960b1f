import { type Child, Fragment, type Html, h } from '../pages/html/jsx.ts'
import { renderCoded } from '../pages/html/text.tsx'
import type { ApiAnswer } from './call-api.ts'

/** Why a form was refused, and the field that it is about, if it is a single one. */
export type Refusal = Partial<Pick<ApiAnswer<unknown>, 'refused' | 'field'>> & {
  /** Organization of others that has the domain of the person’s email address. */
  holder?: string | undefined
}

interface Field {
  name: string
  label: string
  refusal: Refusal | undefined
  hint?: Child
  type?: 'email' | 'password' | 'text' | 'url'
  value?: string | undefined
  required?: boolean
  maxlength: string
  placeholder?: string
  autocomplete?: string
}

/** Renders a field with its label, and below it why its form was refused, if that is because of this field. */
export function renderField({ label, refusal, hint, ...attributes }: Field): Html {
  const { name } = attributes
  const fault = refusal?.field === name ? refusal.refused : undefined
  const described = [fault && `${name}-fault`, hint && `${name}-hint`].filter(Boolean).join(' ')
  return (
    <>
      <label for={name}>{label}</label>
      <input
        id={name}
        {...attributes}
        {...(described !== '' && { 'aria-describedby': described })}
        {...(fault !== undefined && { 'aria-invalid': 'true', autofocus: true })}
      />
      {fault === undefined ? null : (
        <p class="hint fault" id={`${name}-fault`} role="alert">
          {renderCoded(fault, 500)}
        </p>
      )}
      {hint === undefined ? null : (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </>
  )
}

/** Renders the field in which a person names a domain. */
export function renderDomainField(
  field: Pick<Field, 'refusal' | 'value' | 'hint' | 'placeholder'>,
): Html {
  return renderField({
    name: 'domain',
    label: 'Domain',
    required: true,
    maxlength: '300',
    ...field,
  })
}

/** Finds why a form was refused, unless one of its `fields` says so itself. */
export function findFormFault(
  { refused, field }: Refusal,
  fields: readonly string[],
): string | undefined {
  return field !== undefined && fields.includes(field) ? undefined : refused
}
