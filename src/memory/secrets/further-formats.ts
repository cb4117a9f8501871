// Formats known by their prefix that the public list leaves out. One row a format, nothing else.
import { AN, LOWER_HEX, prefixed, type SecretRule, W } from "./rule.ts";

type Row = readonly [id: string, prefix: string, rest: string, entropy: number];

/** Formats of model providers and of tools that agents use; not in the public list. */
const FURTHER: readonly Row[] = [
  ["anthropic-login-token", "sk-ant-oat01-", `${W}{80,200}`, 3],
  ["anthropic-login-token", "sk-ant-ort01-", `${W}{80,200}`, 3],
  ["anthropic-login-token", "sk-ant-sid01-", `${W}{80,200}`, 3],
  ["cerebras-api-key", "csk-", `${AN}{48}`, 3],
  ["docker-access-token", "dckr_pat_", `${W}{27}`, 3],
  ["figma-access-token", "figd_", `${W}{40}`, 3],
  ["google-client-secret", "GOCSPX-", `${W}{28}`, 3],
  ["google-access-token", "ya29.", `${W}{60,400}`, 3],
  ["groq-api-key", "gsk_", `${AN}{52}`, 3],
  ["langsmith-api-key", "lsv2_pt_", `${LOWER_HEX}{32}_${LOWER_HEX}{10}`, 3],
  ["openrouter-api-key", "sk-or-v1-", `${LOWER_HEX}{64}`, 3],
  ["replicate-api-token", "r8_", `${AN}{37}`, 3],
  ["stripe-webhook-secret", "whsec_", `${AN}{32,64}`, 3],
  ["supabase-access-token", "sbp_", `${LOWER_HEX}{40}`, 3],
  ["tailscale-auth-key", "tskey-auth-", `${AN}{10,20}-${AN}{20,40}`, 3],
  ["xai-api-key", "xai-", `${AN}{80}`, 3],
];

export const FURTHER_FORMATS: readonly SecretRule[] = FURTHER.map(([id, prefix, rest, entropy]) =>
  prefixed({ id, prefix, rest, entropy }),
);
