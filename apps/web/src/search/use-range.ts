// The page's time range from the URL, which does not change after the first render.
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { rangeOrDefault, type TimeRange } from './range.ts'

export function useRange(): TimeRange {
  const { t } = useSearch({ strict: false })
  return useMemo(() => rangeOrDefault(t, Date.now()), [t])
}
