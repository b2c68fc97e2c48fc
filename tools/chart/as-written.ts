// Runs the commands of a document without any change. Stubs replace docker, kubectl and helm.
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chartFolder } from './helm.ts'

interface Asked {
  readonly program: string
  readonly args: readonly string[]
}

export interface Operator {
  /** Runs the script. Rejects if a command fails. */
  run(script: string, env?: Readonly<Record<string, string>>): Promise<string>
  /** Returns the arguments of all calls of the program so far. */
  asked(program: string): readonly (readonly string[])[]
  /** Returns the values of the secrets that the commands have created. Each value is found by the secret's name and key: `name/key`. */
  secrets(): Readonly<Record<string, string>>
  /** Folder of the files that the commands have created. */
  readonly folder: string
}

const stub = fileURLToPath(new URL('./stub.ts', import.meta.url))

export function createOperator(folder: string): Operator {
  const [programs, record] = [join(folder, 'programs'), join(folder, 'asked')]
  mkdirSync(programs)
  for (const program of ['docker', 'kubectl', 'helm']) {
    const path = join(programs, program)
    writeFileSync(
      path,
      `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${stub}' '${record}' ${program} "$@"\n`,
    )
    chmodSync(path, 0o755)
  }
  function asked(program: string): readonly (readonly string[])[] {
    if (!existsSync(record)) return []
    const lines = readFileSync(record, 'utf8').split('\n')
    const all = lines.filter(line => line !== '').map(line => JSON.parse(line) as Asked)
    return all.filter(each => each.program === program).map(({ args }) => args)
  }
  return {
    folder,
    asked,
    async run(script, env = {}) {
      const path = [programs, process.env['PATH'] ?? ''].join(delimiter)
      const { stdout } = await promisify(execFile)('sh', ['-euc', script], { cwd: folder, env: { ...env, PATH: path } })
      return stdout
    },
    secrets() {
      const made = asked('kubectl').filter(args => args.slice(0, 3).join(' ') === 'create secret generic')
      const literals = made.flatMap(([, , , name, ...of]) =>
        of.map(each => [name!, /^--from-literal=(\w+)=([\s\S]*)$/.exec(each)!] as const),
      )
      return Object.fromEntries(literals.map(([name, [, key, value]]) => [`${name}/${key}`, value!]))
    },
  }
}

/** Returns the code blocks of the chart's README between this heading and the next heading. */
export function blocksUnder(heading: string, language: string): readonly string[] {
  const readme = readFileSync(join(chartFolder, 'README.md'), 'utf8')
  const begin = readme.indexOf(`\n${heading}\n`)
  if (begin < 0) throw new Error(`The chart's README has no heading ${heading}`)
  const section = readme.slice(begin + heading.length + 2).split(/\n#+ /)[0]!
  return [...section.matchAll(/```(\w+)\n([\s\S]*?)```/g)].filter(([, of]) => of === language).map(([, , text]) => text!)
}

/** Removes the `export` lines of a documented script, because users set their own values in these lines. */
export const withoutOwn = (script: string): string => script.replaceAll(/^export .*\n/gm, '')
export const ownNames = (script: string): readonly string[] =>
  [...script.matchAll(/^export (.*)$/gm)].flatMap(([, line]) => [...line!.matchAll(/(?:^| )([A-Z_]+)=/g)].map(([, name]) => name!))
