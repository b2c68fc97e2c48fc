// The examples of the SDK's READMEs and of the page on migrating, as functions of one module: tests compile and run them.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

function examplesOf(file: string, language: string): readonly string[] {
  const page = readFileSync(join(root, file), 'utf8')
  const fence = new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms')
  return [...page.matchAll(fence)].map(([, indent, text]) => text!.replaceAll(`\n${indent}`, '\n').trimStart())
}

export const readmeExamples = (name: string): readonly string[] => examplesOf(`packages/${name}/README.md`, 'ts')

/** Each example of v5 has one of v6. */
export const migratingExamples = (version: 'v5' | 'v6'): readonly string[] => examplesOf('docs/sdk/migrating-from-v5.md', `ts ${version}`)

const importLine = /^import (?:\{ (.*) \}|(\w+)) from '(.*)'\n/gm

/** A module with the imports of the examples, each once, and one function per example, `example0` and so on. */
export function exampleModule(examples: readonly string[]): { readonly imports: string; readonly functions: string } {
  const imported = new Map<string, string>()
  const functions = examples.map((text, at) => {
    for (const [, names, whole, from] of text.matchAll(importLine)) {
      for (const name of names?.split(', ') ?? [`default as ${whole}`]) imported.set(name, from!)
    }
    return `export async function example${at}() {\n${text.replaceAll(importLine, '').replaceAll(/^export /gm, '')}}`
  })
  return { imports: [...imported].map(([name, from]) => `import { ${name} } from '${from}'`).join('\n'), functions: functions.join('\n') }
}
