// Generates text with the statistics of natural language. The words are drawn from 20,000 words by Zipf's law, and mixed with numbers and
// ids. Compression, token filters, and text search therefore behave as with real prompts.
import { createRandom, type Random } from './random.ts'

const words = 20_000
const onsets = ' b c d f g h l m n p r s t v st tr pr ch br'.split(' ')
const nuclei = 'a e i o u ea io ou'.split(' ')
const codas = '        n r l s t nd ng'.split(' ')

// All seeds use the same vocabulary.
const vocabulary: readonly string[] = (() => {
  const random = createRandom('vocabulary')
  const known = new Set<string>()
  while (known.size < words) {
    // Frequent words are short, and rare words are long.
    const parts = 1 + Math.floor(Math.log10(known.size + 5) * 0.7 + random.next() * 1.6)
    known.add(Array.from({ length: parts }, () => random.pick(onsets) + random.pick(nuclei) + random.pick(codas)).join(''))
  }
  return [...known]
})()

/**
 * For each rank, the probability that a drawn word has this rank or a smaller rank. A word's frequency is proportional to 1 / (rank + 2.7).
 */
const cumulative = (() => {
  let sum = 0
  const sums = vocabulary.map((_, rank) => (sum += 1 / (rank + 2.7)))
  return Float64Array.from(sums, value => value / sum)
})()

function word(random: Random): string {
  const target = random.next()
  let [low, high] = [0, words - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (cumulative[middle]! < target) low = middle + 1
    else high = middle
  }
  return vocabulary[low]!
}

/** One token in 30 is a number, and one token in 60 is an id. */
export function prose(random: Random, characters: number): string {
  let text = ''
  let sentence = 0
  while (text.length < characters) {
    const dice = random.next()
    let token = word(random)
    if (dice < 1 / 60) token = `${random.pick(['ORD', 'INV', 'usr', 'doc'])}-${random.hex(8)}`
    else if (dice < 1 / 20) token = String(random.integer(1, 99_999))
    if (sentence === 0) token = token.charAt(0).toUpperCase() + token.slice(1)
    sentence++
    const end = sentence > 6 && random.next() < 0.12
    text += end ? `${token}. ` : `${token} `
    if (end) sentence = 0
  }
  return text.trimEnd()
}
