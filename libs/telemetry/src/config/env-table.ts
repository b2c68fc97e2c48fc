// The table of variables in a README, generated from the schema; a test holds the two together.
import type { z } from 'zod'
import { describeVariable } from './variable.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** A Markdown table: variable, default, what is valid, meaning. */
export const envTable = (schema: z.ZodObject): string => {
  const rows = Object.entries(schema.shape).map(([name, variable]) => {
    const { defaultText, required, valid, description } = describeVariable(name, variable as z.ZodType)
    const fallback = defaultText === undefined ? (required ? '**required**' : '') : `\`${defaultText}\``
    return `| \`${name}\` | ${cell(fallback)} | ${cell(valid)} | ${cell(description)} |`
  })
  return ['| Variable | Default | Valid | Meaning |', '|---|---|---|---|', ...rows, ''].join('\n')
}
