// Generates other spellings of a model name. Hosts and routers add prefixes and suffixes to the name, and write the version of the model
// differently. Each spelling is looked up like any other name.

export interface Spelling {
  readonly name: string
  /** Describes the changes that turned the given name into this spelling, in the order in which the code made them. */
  readonly changes: readonly string[]
}

const oneOf = (...words: readonly string[]) => `(?:${words.join('|')})`

const providers = oneOf(
  'openai|(?:azure|microsoft|amazon|aws|google|vertex|cf|workers)(?:-ai)?|azure-openai|anthropic|vertexai|googleai|google-genai|gemini(?=\\.)',
  '(?:amazon-|aws-)?bedrock(?:-converse|-mantle|-runtime)?|databricks|system\\.ai|snowflake|cortex|oci|oracle|sap|watsonx|heroku|github|copilot',
  'openrouter|litellm|portkey|helicone|vercel|cloudflare|requesty|poe|replicate',
)
const compass = '(?:north|south|east|west|central){1,2}'
/** Longer regions come first, because `us-` would match the start of `us-east-1.`. */
const regions = oneOf(
  `(?:us|eu|ap|ca|sa|me|af|il|mx|cn)(?:-gov)?-${compass}-\\d`,
  `(?:us|europe|asia|australia|me|africa|northamerica|southamerica)-${compass}\\d{1,2}`,
  `${compass}(?:us|europe|asia|india)\\d?`,
  `(?:sweden|france|germany|switzerland|uk|norway|poland|italy|spain|australia|japan|korea|canada|brazil|southafrica|uae)${compass}\\d?`,
  'us-gov|us|eu|apac|global',
)

const path = /^.*\//s
const prefixes = `(?:${oneOf(providers, regions, 'jp|au|ca|uk')}(?:[.:]|-)+)+`
const prefix = new RegExp(`^${prefixes.replaceAll('-', '[-_ ]')}(?=.)`, 'i')
const fineTuned = /^ft:/i

const date = /[-@:](20\d\d)(-?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])$/

/** Suffixes that describe how a model is served. The list has no `-latest`, `-fast` or `-v2`, because these suffixes identify the model. */
const suffixes: readonly RegExp[] = [
  // Suffixes that choose a router's destination and options. They do not change the price per token.
  /:(?:online|free|nitro|floor|exacto|extended|beta|self-moderated)$/i,
  // The version at the end of a Bedrock model id, with or without a context length: `-v1:0`, `-v1:0:200k`.
  /-v\d{1,2}:\d{1,2}(?::(?:\d{1,4}k|mm))?$/i,
  /\[1m\]$/i,
  /@(?:default|latest|\d{3})$/i,
  date,
  new RegExp(`[-@]${regions}$`, 'i'),
  /[-:]custom-?tools$/i,
  // The thinking effort. The effort does not change the price per token, because reasoning tokens cost as much as other tokens.
  /[-:](?:thinking|minimal|low|medium|high|xhigh)$/i,
]

/**
 * Maximum number of suffixes to remove. No client adds more suffixes to the name of a model. Without a maximum, an invented name could
 * have many spellings, and each spelling takes time to look up.
 */
const maxSuffixes = 5

/**
 * Yields the most similar spellings first: the name without its path and prefixes, then this name with its version written differently.
 * Then removes one suffix after another. After each removal, yields the shorter name, also with its version written differently.
 */
export function* spellingsOf(given: string): Generator<Spelling, void, undefined> {
  const changes: string[] = []
  let name = bareName(given, changes)
  if (changes.length > 0) yield { name, changes: [...changes] }
  // In a fine-tuned model's name, the text after the base model identifies the model and must stay.
  if (fineTuned.test(name)) return
  yield* versionSpellings(name, changes)
  for (let i = 0; i < maxSuffixes; i++) {
    const suffix = suffixes.find(pattern => pattern.test(name))
    if (suffix === undefined) return
    const [text, ...parts] = suffix.exec(name)!
    const before = name.slice(0, -text.length)
    // Two models can differ only in their date, so the name with the date in another format is tried before the name without a date.
    if (suffix === date) yield { name: `${before}-${otherDate(parts)}`, changes: [...changes, 'with its date written differently'] }
    name = before
    changes.push(`without the suffix ${text}`)
    yield { name, changes: [...changes] }
    yield* versionSpellings(name, changes)
  }
}

const otherDate = ([year, dash, month, day]: readonly (string | undefined)[]) => [year, month, day].join(dash === '' ? '-' : '')

/** Returns the name without prefixes, and with its words joined in the way that providers join them. */
function bareName(given: string, changes: string[]): string {
  let name = given
  function leaveOut(pattern: RegExp, what: string): void {
    const text = pattern.exec(name)?.[0]
    if (text === undefined) return
    name = name.slice(text.length)
    changes.push(`without the ${what} ${text}`)
  }
  function join(pattern: RegExp, replacement: string): void {
    const joined = name.replace(pattern, replacement)
    if (joined !== name) changes.push('with its words joined differently')
    name = joined
  }
  leaveOut(path, 'path')
  leaveOut(prefix, 'prefix')
  if (fineTuned.test(name)) return name
  join(/[\s_]+/g, '-')
  join(/^(gpt|claude|gemini)(?=\d)/i, '$1-')
  return name
}

const number = /^\d{1,2}$/
const version = /^\d{1,2}(?:\.\d{1,2})?o?$/

/**
 * Generates spellings with the version after the first or second word, with a point or a hyphen, and with or without a zero. Examples:
 * `claude-4.5-sonnet` and `claude-sonnet-4-5`, `gemini-2-5-pro` and `gemini-2.5-pro`, `gpt-4.0-turbo` and `gpt-4-turbo`.
 */
function* versionSpellings(name: string, changes: readonly string[]): Generator<Spelling, void, undefined> {
  const words = name.split('-')
  const at = words.findIndex((word, i) => i > 0 && version.test(word))
  if (at < 0) return
  let length = 1
  let spelled = words[at]!
  if (number.test(spelled) && number.test(words[at + 1] ?? '')) {
    // Three numbers in a row are not a version.
    if (number.test(words[at + 2] ?? '')) return
    spelled = `${spelled}.${words[at + 1]!}`
    length = 2
  }
  const others = words.toSpliced(at, length)
  for (const place of [1, 2]) {
    if (place > others.length) return
    for (const spelling of versionsLike(spelled)) {
      const candidate = others.toSpliced(place, 0, spelling).join('-')
      if (candidate !== name) yield { name: candidate, changes: [...changes, 'with its version written or placed differently'] }
    }
  }
}

function versionsLike(spelled: string): readonly string[] {
  if (number.test(spelled)) return [spelled, `${spelled}.0`]
  if (!spelled.includes('.')) return [spelled]
  const spellings = [spelled, spelled.replace('.', '-')]
  return spelled.endsWith('.0') ? [...spellings, spelled.slice(0, -2)] : spellings
}
