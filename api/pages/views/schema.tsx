import { Fragment, h } from '../html/jsx.ts'
import { renderMarkdown } from '../html/markdown.ts'
import { clipText } from '../html/text.tsx'
import { showMissing } from '../parts/problem.tsx'
import { renderSchema } from '../parts/schema.tsx'
import type { View, ViewCall } from '../view.ts'

/** Shows the fields of an object that operations take or answer. */
export async function show({
  params: { name },
  services,
}: ViewCall<unknown, { name: string }>): Promise<View> {
  const { schemas } = services.openapi().components
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined
  if (schema === undefined) {
    const title = 'Object not found'
    const text = `There is no object called ${clipText(name, 100)}. See all operations at /docs.`
    return showMissing(title, text)
  }
  const description = String(schema.description ?? '')
  return {
    title: name,
    description: description === '' ? `Fields of ${name} in the API of the registry.` : description,
    body: (
      <>
        <p class="kicker">
          <a href="/docs">API reference</a> · Object
        </p>
        <h1>{name}</h1>
        {renderMarkdown(description, address => address)}
        {renderSchema(schema, `Fields of ${name}`)}
      </>
    ),
  }
}
