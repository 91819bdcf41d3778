import type { Static } from 'typebox'
import { OneOf } from './schema.ts'

/** Newest first (service.md, shared value sets). */
export const runtimeIds = [
  '2026.04',
  '2025.04',
  '2024.09',
  '2024.02',
  '2023.09',
  '2023.02',
  '2022.10',
] as const
export const RuntimeId = OneOf(runtimeIds)
export type RuntimeId = Static<typeof RuntimeId>
