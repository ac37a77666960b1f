import { readTree, type TextNode } from './fault-places.ts'

/** An address begins where a word does: tried at each letter of a long word, it would take hours. */
const EMAIL_ADDRESS = /(?<![^\s"'<>@,;:])[^\s"'<>@,;:]+@[^\s"'<>@,;:]+/g

/**
 * Hides the contact data of people in a text that is not JSON, as far as it can be recognized: email addresses, and
 * the texts below `contact`. Every other character keeps its place, so that faults keep their line and column.
 */
export function hideContacts(text: string): string {
  const letters = text.replace(EMAIL_ADDRESS, address => '*'.repeat(address.length)).split('')
  const root = readTree(text, [])
  const visit = (node: TextNode, isContact: boolean): void => {
    const [key, value] = node.type === 'property' ? (node.children ?? []) : []
    if (isContact && node.type === 'string') {
      letters.fill('*', node.offset + 1, node.offset + node.length - 1)
    }
    const within = isContact || key?.value === 'contact'
    if (key !== undefined) {
      if (value !== undefined) visit(value, within)
    } else for (const child of node.children ?? []) visit(child, isContact)
  }
  if (root !== undefined && root !== 'too deep') visit(root, false)
  return letters.join('')
}
