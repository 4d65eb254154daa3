// The position of the reader: a call of a transcript under a policy. The address of the page names it, such as
// `#session=runs/a.jsonl&call=22&policy=1`, where policy 0 is the recording.

/** The call that charts and the inspector show, and the context: 0 is the recording, 1 the first policy. */
class Position {
  constructor(session, calls, call, view) {
    Object.assign(this, { session, calls, call, view, followers: [] });
  }

  /** Moves to another call or context, as the reader wants. */
  move(to) {
    this.follow(to);
    writeAddress(this);
  }

  /** Moves without a new address. */
  follow({ call = this.call, view = this.view }) {
    if (!Number.isFinite(call)) return;
    this.call = Math.min(Math.max(Math.round(call), 0), this.calls - 1);
    this.view = view;
    for (const follow of this.followers) follow();
  }

  /** Moves to a call and brings what it has lost into sight. */
  open(call) {
    this.move({ call });
    document.querySelector(".inspector .lost")?.scrollIntoView({ block: "nearest" });
  }
}

/** The address of a position. */
function addressOf({ session, call, view }) {
  const id = encodeURIComponent(figure(SESSIONS[session], "id")).replaceAll("%2F", "/");
  return `#session=${id}&call=${call}${POLICIES.length > 1 || view !== 1 ? `&policy=${view}` : ""}`;
}

/** Writes the address of a position. A page inside another one may not have one. */
function writeAddress(position) {
  try {
    history.replaceState(null, "", addressOf(position));
  } catch {
    // The position is shown, only its address is not.
  }
}

/** What an address names, without what it gets wrong; none if it names no transcript whose details are in the page. */
function addressed(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const wanted = parts.get("session");
  if (wanted === null) return null;
  const indexOf = (text, end) => (/^\d+$/.test(text ?? "") && Number(text) < end ? Number(text) : undefined);
  const byId = SESSIONS.findIndex((session) => figure(session, "id") === wanted);
  const session = byId >= 0 ? byId : indexOf(wanted, SESSIONS.length);
  const detail = detailOf.get(session);
  if (!detail) return null;
  const calls = detail.recorded.sizes.length;
  return { session, call: indexOf(parts.get("call"), calls), view: indexOf(parts.get("policy"), POLICIES.length + 1) };
}
