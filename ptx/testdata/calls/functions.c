typedef unsigned long size_t; typedef unsigned u32;
#define NI __attribute__((noinline))
#define TID __nvvm_read_ptx_sreg_tid_x()
NI u32 fact(u32 n){ return n<2?1:n*fact(n-1); }
NI u32 fib(u32 n){ return n<2?n:fib(n-1)+fib(n-2); }
NI u32 ack(u32 m,u32 n){ return m==0?n+1:n==0?ack(m-1,1):ack(m-1,ack(m,n-1)); }
NI int is_odd(u32 n); NI int is_even(u32 n){ return n==0?1:is_odd(n-1);} NI int is_odd(u32 n){ return n==0?0:is_even(n-1);}
NI void qs(u32*a,int lo,int hi){ if(lo>=hi) return; u32 p=a[(lo+hi)/2]; int i=lo,j=hi; while(i<=j){ while(a[i]<p)i++; while(a[j]>p)j--; if(i<=j){u32 t=a[i];a[i]=a[j];a[j]=t;i++;j--;} } qs(a,lo,j); qs(a,i,hi);}
struct S{u32 a; double b; u32 c[3];};
NI struct S mk(struct S s,u32 k){ if(k==0) return s; s.a+=k; s.b=s.b*2+k; s.c[k%3]^=k; struct S t=mk(s,k-1); t.c[1]+=s.a; return t; }
struct N{u32 v; struct N*l,*r;};
NI u32 walk(struct N*n,u32(*f)(u32,u32),u32 acc){ if(!n) return acc; acc=walk(n->l,f,acc); acc=f(acc,n->v); return walk(n->r,f,acc);}
static u32 vadd(u32 a,u32 b){return a*3+b;} static u32 vxor(u32 a,u32 b){return (a^b)*7;} static u32 vrec(u32 a,u32 b){return a+fib(b%7);}
u32 (*const vt[3])(u32,u32)={vadd,vxor,vrec};
u32 hanoi(u32 n,u32 a,u32 b,u32 c,u32*s){ u32 st[4]; st[n&3]=a*5+b; if(n==0) return st[0]; u32 x=hanoi(n-1,a,c,b,s); *s=*s*31+a*4+c; x+=st[n&3]; return x+hanoi(n-1,b,a,c,s); }
__attribute__((nvptx_kernel)) void k(u32*out){
 u32 t=TID, *o=out+t*10; u32 a[16]; for(int i=0;i<16;i++) a[i]=(i*7+t*13+5)*2654435761u;
 o[0]=fact(t%13); o[1]=fib(t%11); o[2]=ack(t%3,t%5); o[3]=is_even(t)*2+is_odd(t+1);
 qs(a,0,t%16); u32 h=0; for(int i=0;i<16;i++) h=h*31+a[i]; o[4]=h;
 struct S s={t,1.5,{1,2,3}}; s=mk(s,t%7); o[5]=s.a*3+(u32)s.b+s.c[0]*5+s.c[1]*7+s.c[2];
 struct N n[7]; for(int i=0;i<7;i++){ n[i].v=i*t+1; n[i].l=2*i+1<7?&n[2*i+1]:0; n[i].r=2*i+2<7?&n[2*i+2]:0; }
 o[6]=walk(n,vt[t%3],t); o[7]=vt[(t+1)%3](t,5);
 u32 sq=1; o[8]=hanoi(t%6,1,2,3,&sq); o[9]=sq;
}
