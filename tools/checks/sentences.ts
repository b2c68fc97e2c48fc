// Draws random sentences from comments, user-facing strings, and documents, so that a reader can check that they are plain: node
// tools/checks/sentences.ts [how many] [seed]
import { createHash } from 'node:crypto'
import { texts } from './texts.ts'

const [count = '50', seed = '1'] = process.argv.slice(2)
/** Returns the texts for people in a source file: comments joined over lines, and strings that are sentences. */
function textsOf(source: string): string[] {
  const comments = source.match(/(?:^[ \t]*\/\/.*\n?)+|\/\*\*[\s\S]*?\*\//gm) ?? []
  const strings = source.match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? []
  const bare = comments.map(comment => comment.replaceAll(/^[ \t]*(?:\/\/|\/\*\*|\*\/?)|\*\/$/gm, ' '))
  return [...bare, ...strings.map(text => text.slice(1, -1)).filter(text => /^[A-Z].* .* .*\.$/.test(text))]
}

/**
 * Returns the paragraphs, list items and table cells of a document. Each table cell is a separate text, because the cells of a row do not
 * form a sentence.
 */
function partsOf(markdown: string): string[] {
  return markdown
    .replaceAll(/```[\s\S]*?```/g, '')
    .replaceAll(/^[ \t]*\|.*$/gm, row => `\n${row.replaceAll(/(?<!\\)\|/g, '\n\n')}\n`)
    .split(/\n(?:\n|[ \t]*(?:[-*>]|#+|\d+\.)[ \t])/)
}

function sentencesOf(path: string, text: string): string[] {
  return (path.endsWith('.md') ? partsOf(text) : textsOf(text))
    .flatMap(each => each.replaceAll(/\s+/g, ' ').split(/(?<=[.])\s+(?=[A-Z`])/))
    .map(sentence => sentence.trim())
    .filter(sentence => sentence.split(' ').length >= 6)
}

const drawn = texts('ts,tsx,mjs,md')
  // docs/api.md is skipped, because its sentences are copied from libs/api.
  .filter(({ path }) => path !== 'docs/api.md')
  .flatMap(({ path, text }) => sentencesOf(path, text).map(sentence => ({ path, sentence })))
  .map(each => ({ ...each, order: createHash('sha256').update(`${seed} ${each.path} ${each.sentence}`).digest('hex') }))
  .sort((a, b) => (a.order < b.order ? -1 : 1))
  .slice(0, Number(count))

for (const { path, sentence } of drawn) process.stdout.write(`${path}\n  ${sentence}\n`)
