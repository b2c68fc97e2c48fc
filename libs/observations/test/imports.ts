import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const source = join(import.meta.dirname, '../src')
const statement = /^(?:import|export)\s(?<type>type\b)?[^']*?from '(?<from>[^']+)'|^import '(?<bare>[^']+)'/gm

export interface Import {
  /** The name of a package, or the path of a file in this library's sources. */
  readonly target: string
  readonly isType: boolean
}

export function importsOf(file: string): readonly Import[] {
  const text = readFileSync(join(source, file), 'utf8')
  return [...text.matchAll(statement)].map(({ groups }) => {
    const specifier = (groups!['from'] ?? groups!['bare'])!
    const target = specifier.startsWith('.') ? relative(source, join(source, dirname(file), specifier)) : specifier
    return { target, isType: groups!['type'] !== undefined }
  })
}

export const sourceFiles = (): readonly string[] => globSync('**/*.ts', { cwd: source }).sort()
