// Reads the examples in the SDK's READMEs and on the migration page. The examples of a README form one program. Each v6 example of the
// migration page becomes a function, and the functions form one module.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

function examplesOf(file: string, language: string): readonly string[] {
  const page = readFileSync(join(root, file), 'utf8')
  const fence = new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms')
  return [...page.matchAll(fence)].map(([, indent, text]) => text!.replaceAll(`\n${indent}`, '\n').trimStart())
}

/** Joins the examples of a README as if a reader pasted them into one file. */
export const readmeProgram = (name: string): string => examplesOf(`packages/${name}/README.md`, 'ts').join('\n')

/** Returns the examples of the migration page. For each example for v5, there is an example for v6. */
export const migratingExamples = (version: 'v5' | 'v6'): readonly string[] => examplesOf('docs/sdk/migrating-from-v5.md', `ts ${version}`)

/** Turns each example into a function without imports. The functions are named `example0` and so on. */
export const exampleFunctions = (examples: readonly string[]): string =>
  examples.map((text, at) => `export async function example${at}() {\n${text}}`).join('\n')
