// This stub replaces docker, kubectl and helm when a test runs documented commands. The stub records its arguments, and returns the secrets
// that earlier calls have created.
import { appendFileSync, readFileSync } from 'node:fs'

const [record = '', program = '', ...args] = process.argv.slice(2)
appendFileSync(record, `${JSON.stringify({ program, args })}\n`)

const asked = args.join(' ').match(/get secret (\S+) -o jsonpath=\{\.data\.(\w+)\}/)
if (program === 'kubectl' && asked !== null) {
  const [, name, key] = asked
  const made = readFileSync(record, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => (JSON.parse(line) as { readonly args: readonly string[] }).args)
    .find(each => each.slice(0, 4).join(' ') === `create secret generic ${name}`)
  const value = made?.find(arg => arg.startsWith(`--from-literal=${key}=`))?.slice(`--from-literal=${key}=`.length)
  if (value === undefined) throw new Error(`There is no key ${key} in a secret ${name}`)
  process.stdout.write(Buffer.from(value).toString('base64'))
}
